// Users, written one after the other while the power fails: what was acknowledged or shown is there after a cut, and what was
// under way is there whole or not at all.

import type { EmbeddedEngine } from '@tidemark/engine/internal';
import type { SeededRandom } from '@tidemark/testing';

/** Users by id, with the operation that wrote them. */
type Users = ReadonlyMap<string, number>;

const ids: readonly string[] = ['u', 'v', 'w'];

export class NamedLane {
  readonly #random: SeededRandom;
  readonly #database: string;
  /** After each acknowledged operation; the first is the one before all of them. */
  #states: Users[] = [new Map()];
  /** What the operation under way would make. */
  #pending: Users | undefined;
  #ops = 0;

  constructor(random: SeededRandom, database: string) {
    this.#random = random;
    this.#database = database;
  }

  get isInFlight(): boolean {
    return this.#pending !== undefined;
  }

  /** Rejects when the power fails, and then with nothing else. */
  async work(engine: EmbeddedEngine, isOut: () => boolean): Promise<void> {
    for (let left = this.#random.int(4); left > 0 && !isOut(); left -= 1) {
      const next = new Map(this.#last);
      const id = this.#random.pick(ids);
      this.#ops += 1;
      const found = this.#random.bool(0.3) ? this.#find(engine, id) : undefined;
      if (found === undefined) next.set(id, this.#ops);
      else next.delete(id);
      this.#pending = next;
      if (found === undefined) await this.#upsert(engine, id, this.#ops);
      else await engine.resources.delete(found.number);
      this.#states.push(next);
      this.#pending = undefined;
    }
  }

  /** What is wrong, if anything is. After a cut without flushes any acknowledged state may be the one that is left. */
  verify(engine: EmbeddedEngine, isLossAllowed: boolean): string | undefined {
    const users = engine.resources.list('user', this.#owner(engine));
    const found: Users = new Map(users.map(({ id, value }) => [id, (value as { op: number }).op]));
    const allowed = [
      ...(isLossAllowed ? this.#states : [this.#last]),
      ...(this.#pending === undefined ? [] : [this.#pending]),
    ];
    const wrong = allowed.some((state) => isSame(state, found))
      ? undefined
      : `users: found ${JSON.stringify([...found])}, acknowledged ${JSON.stringify([...this.#last])}`;
    this.#states = [found];
    this.#pending = undefined;
    return wrong;
  }

  get #last(): Users {
    return this.#states.at(-1) as Users; // There is always one.
  }

  #upsert(engine: EmbeddedEngine, id: string, op: number): Promise<unknown> {
    const pad = 'x'.repeat(this.#random.int(300));
    return engine.resources.upsert({ kind: 'user', owner: this.#owner(engine), id, value: { op, pad } });
  }

  #find(engine: EmbeddedEngine, id: string): { readonly number: number } | undefined {
    return engine.resources.find('user', this.#owner(engine), id);
  }

  #owner(engine: EmbeddedEngine): number {
    return engine.findDatabase(this.#database)?.number ?? -1;
  }
}

function isSame(a: Users, b: Users): boolean {
  return a.size === b.size && [...a].every(([id, op]) => b.get(id) === op);
}
