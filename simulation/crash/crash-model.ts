// What the parent knows, from what the writers told it before they were killed, and what must therefore be there.
//
// A write is certain once it was acknowledged or a reader saw it: either may have told the world. Of the others, whose fate
// the kill decided, each is there as a whole or not at all, and after everything that is certain for its keys.

import type { ContainerName, Message, Seen, Touched } from './protocol.ts';

interface Operation {
  readonly op: number;
  readonly container: ContainerName;
  readonly touched: readonly Touched[];
}

/** The newest certain write of a key. */
interface Certain {
  readonly op: number;
  readonly lsn: number;
  readonly isDelete: boolean;
}

interface ContainerModel {
  readonly certain: Map<string, Certain>;
  /** What the tail reader has been told of each key. */
  readonly reader: Map<string, Seen>;
  etag: string | undefined;
  /** LSNs by the range that gave them: `range/lsn` → operation. */
  readonly given: Map<string, number>;
  /** The tails as the last open found them. */
  tails: Map<string, number>;
}

export class CrashModel {
  readonly #containers: Readonly<Record<ContainerName, ContainerModel>> = { plain: emptyModel(), kept: emptyModel() };
  /** Begun by the writer that lives or has just been killed, and not answered. */
  readonly #open = new Map<number, Operation>();
  /** Of that writer: acknowledged operations of `kept`, which the version history must show. */
  #acknowledged = new Map<number, { readonly operation: Operation; readonly lsn: number }>();
  /** The version history as far as it has been read: key → its changes in order. */
  #history = new Map<string, Seen[]>();
  versionsEtag: string | undefined;
  acknowledgedCount = 0;
  survivedCount = 0;

  get openCount(): number {
    return this.#open.size;
  }

  etagOf(container: ContainerName): string | undefined {
    return this.#containers[container].etag;
  }

  take(message: Message): void {
    if (message.kind === 'begin') this.#open.set(message.op, message);
    else if (message.kind === 'refused') this.#open.delete(message.op);
    else if (message.kind === 'done') this.#acknowledge(message);
    else if (message.kind === 'seen') this.#see(message);
    else if (message.kind === 'opened') this.#verifyState(message);
    else if (message.kind === 'continued') this.#verifyContinuation(message);
    else if (message.kind === 'versions') this.#verifyVersions(message);
    else if (message.kind === 'checked')
      expectThat(message.problems.length === 0, `check: ${message.problems.join('; ')}`);
    else if (message.kind === 'ready') this.#settle();
    else if (message.kind === 'failed') throw new Error(`the writer failed: ${message.message}`);
  }

  #acknowledge({ op, range, lsn }: { readonly op: number; readonly range: string; readonly lsn: number }): void {
    const operation = this.#open.get(op);
    expectThat(operation !== undefined, `operation ${op} was acknowledged and never begun`);
    this.#open.delete(op);
    this.acknowledgedCount += 1;
    const model = this.#containers[operation.container];
    const name = `${range}/${lsn}`;
    expectThat(
      !model.given.has(name),
      `range ${range} gave LSN ${lsn} to operations ${model.given.get(name)} and ${op}`,
    );
    model.given.set(name, op);
    expectThat(lsn > (model.tails.get(range) ?? 0), `range ${range} gave LSN ${lsn} again: it was past it when opened`);
    for (const { key, isDelete } of operation.touched) raise(model, key, { op, lsn, isDelete });
    if (operation.container === 'kept') this.#acknowledged.set(op, { operation, lsn });
  }

  #see({ container, changes, etag }: Extract<Message, { kind: 'seen' }>): void {
    const model = this.#containers[container];
    model.etag = etag;
    for (const change of changes) {
      this.#advanceReader(model, change);
      raise(model, change.key, { op: change.op as number, lsn: change.lsn, isDelete: false });
    }
  }

  #advanceReader(model: ContainerModel, change: Seen): void {
    const before = model.reader.get(change.key);
    expectThat(before === undefined || before.lsn < change.lsn, `the tail reader was shown ${name(change)} again`);
    model.reader.set(change.key, change);
  }

  #verifyState({ container, ranges, state, points, listed }: Extract<Message, { kind: 'opened' }>): void {
    const model = this.#containers[container];
    const found = new Map(state.map((seen) => [seen.key, seen]));
    expectThat(found.size === state.length, 'the feed from the beginning shows a document twice');
    expectSame(found, points, 'point reads');
    expectSame(found, listed, 'the read feed');
    for (const key of new Set([...model.certain.keys(), ...found.keys()]))
      this.#verifyKey(container, key, found.get(key));
    for (const operation of this.#open.values()) {
      if (operation.container === container) this.#verifyWhole(operation, found);
    }
    for (const [key, seen] of found) {
      if (this.#open.has(seen.op as number) && model.certain.get(key)?.op !== seen.op) this.survivedCount += 1;
    }
    model.tails = new Map(ranges.map(({ id, tail }) => [id, tail]));
    for (const [range, lsn] of highestGiven(model)) {
      const tail = model.tails.get(range);
      expectThat(tail === undefined || tail >= lsn, `range ${range} gave LSN ${lsn} and opens with tail ${tail}`);
    }
    // From here on what was found is certain, and what was not there must not come later. Of `kept` the history tells.
    if (container === 'plain') this.#forgetOpen(container);
    for (const key of new Set([...model.certain.keys(), ...found.keys()])) {
      const seen = found.get(key);
      if (seen !== undefined) model.certain.set(key, { op: seen.op as number, lsn: seen.lsn, isDelete: false });
      else if (model.certain.get(key)?.isDelete === false) model.certain.delete(key);
    }
  }

  #verifyKey(container: ContainerName, key: string, seen: Seen | undefined): void {
    const certain = this.#containers[container].certain.get(key);
    if (seen === undefined) {
      const mayBeGone = certain === undefined || certain.isDelete || this.#mayHaveDeleted(container, key);
      expectThat(mayBeGone, `${container}: ${key} of operation ${certain?.op} (LSN ${certain?.lsn}) is lost`);
      return;
    }
    if (certain !== undefined && !certain.isDelete && certain.op === seen.op) {
      expectThat(certain.lsn === seen.lsn, `${container}: ${name(seen)} was acknowledged with LSN ${certain.lsn}`);
      return;
    }
    const operation = this.#open.get(seen.op as number);
    const isItsOwn = operation?.touched.some((touched) => touched.key === key && !touched.isDelete) ?? false;
    const what = certain?.isDelete ? 'its delete' : 'a later write';
    expectThat(
      isItsOwn && operation?.container === container,
      `${container}: ${name(seen)} is there although ${what}, operation ${certain?.op} (LSN ${certain?.lsn}), was certain`,
    );
    expectThat(seen.lsn > (certain?.lsn ?? 0), `${container}: ${name(seen)} hides LSN ${certain?.lsn}`);
  }

  /** An operation that is there in one of its documents is there in all of them, under one LSN. */
  #verifyWhole(operation: Operation, found: ReadonlyMap<string, Seen>): void {
    const own = operation.touched.map(({ key }) => found.get(key)).find((seen) => seen?.op === operation.op);
    if (own === undefined) return;
    for (const { key, isDelete } of operation.touched) {
      const seen = found.get(key);
      if (seen !== undefined && seen.lsn > own.lsn) continue;
      if (seen === undefined && (isDelete || this.#mayBeDeletedAfter(operation, key, own.lsn))) continue;
      const isThere = !isDelete && seen?.op === operation.op && seen.lsn === own.lsn;
      expectThat(isThere, `operation ${operation.op} is half there: ${key} is missing, ${name(own)} is not`);
    }
  }

  /**
   * By one whose fate the kill decided as well, or by one that was acknowledged: who had to try again, because the range was split, is
   * answered after those who came later, and may be killed in between.
   */
  #mayBeDeletedAfter({ container, op }: Operation, key: string, lsn: number): boolean {
    const certain = this.#containers[container].certain.get(key);
    if (certain?.isDelete && certain.lsn > lsn) return true;
    return this.#mayHaveDeleted(container, key, op);
  }

  #mayHaveDeleted(container: ContainerName, key: string, except?: number): boolean {
    for (const operation of this.#open.values()) {
      if (operation.container !== container || operation.op === except) continue;
      if (operation.touched.some((touched) => touched.key === key && touched.isDelete)) return true;
    }
    return false;
  }

  /** Going on from the killed reader's etag shows everything it was not told, nothing twice, and ends at the state. */
  #verifyContinuation({ container, changes, etag }: Extract<Message, { kind: 'continued' }>): void {
    const model = this.#containers[container];
    for (const change of changes) this.#advanceReader(model, change);
    for (const [key, certain] of model.certain) {
      if (certain.isDelete) continue;
      const told = model.reader.get(key);
      const isTold = told?.op === certain.op && told.lsn === certain.lsn;
      expectThat(isTold, `${container}: the tail reader was never told of ${key}, operation ${certain.op}`);
    }
    // The next reader of this writer goes on from the old etag all the same; it is told these again.
    for (const change of changes) model.reader.delete(change.key);
    expectThat(etag !== '', 'a feed has an etag');
  }

  #verifyVersions({ isWhole, changes, etag }: Extract<Message, { kind: 'versions' }>): void {
    const before = this.#history;
    if (isWhole) this.#history = new Map();
    const own = new Map<number, Seen[]>();
    for (const change of changes) {
      const history = this.#history.get(change.key) ?? [];
      expectThat(
        (history.at(-1)?.lsn ?? 0) < change.lsn,
        `the history of ${change.key} shows LSN ${change.lsn} out of order`,
      );
      history.push(change);
      this.#history.set(change.key, history);
      if (change.op !== undefined) own.set(change.op, [...(own.get(change.op) ?? []), change]);
    }
    if (isWhole) {
      for (const [key, history] of before) {
        const again = this.#history.get(key) ?? [];
        const isSame = history.every((change, i) => change.lsn === again[i]?.lsn && change.op === again[i]?.op);
        expectThat(isSame, `the history of ${key} has changed since it was read last`);
      }
    }
    for (const { operation, lsn } of this.#acknowledged.values()) this.#expectInHistory(operation, lsn);
    for (const [op, seen] of own) {
      const operation = this.#open.get(op);
      if (operation !== undefined) this.#expectInHistory(operation, (seen[0] as Seen).lsn);
      else expectThat(isWhole || this.#acknowledged.has(op), `operation ${op} is in the history and was never begun`);
    }
    this.versionsEtag = etag;
    this.#forgetOpen('kept');
    const { certain } = this.#containers.kept;
    for (const [key, history] of this.#history) {
      const last = history.at(-1);
      const now = certain.get(key);
      const isSame =
        last?.op === undefined ? now === undefined || now.isDelete : now?.op === last.op && now.lsn === last.lsn;
      expectThat(isSame, `the history of ${key} ends with LSN ${last?.lsn}, its latest version has LSN ${now?.lsn}`);
    }
  }

  #expectInHistory(operation: Operation, lsn: number): void {
    for (const { key, isDelete } of operation.touched) {
      const there = this.#history.get(key)?.find((change) => change.lsn === lsn);
      const isRight = there !== undefined && there.op === (isDelete ? undefined : operation.op);
      expectThat(isRight, `operation ${operation.op} (LSN ${lsn}) is not in the history of ${key}`);
    }
  }

  #forgetOpen(container: ContainerName): void {
    for (const operation of this.#open.values()) if (operation.container === container) this.#open.delete(operation.op);
  }

  /** The fate of everything that was under way has been looked at; a new writer begins. */
  #settle(): void {
    this.#open.clear();
    this.#acknowledged = new Map();
  }
}

function emptyModel(): ContainerModel {
  return { certain: new Map(), reader: new Map(), etag: undefined, given: new Map(), tails: new Map() };
}

function raise(model: ContainerModel, key: string, certain: Certain): void {
  const before = model.certain.get(key);
  if (before === undefined || before.lsn < certain.lsn) model.certain.set(key, certain);
}

function highestGiven(model: ContainerModel): Map<string, number> {
  const highest = new Map<string, number>();
  for (const given of model.given.keys()) {
    const [range, lsn] = given.split('/') as [string, string];
    highest.set(range, Math.max(highest.get(range) ?? 0, Number(lsn)));
  }
  return highest;
}

function expectSame(found: ReadonlyMap<string, Seen>, others: readonly Seen[], what: string): void {
  expectThat(others.length === found.size, `${what} show ${others.length} documents, the feed ${found.size}`);
  for (const other of others) {
    const seen = found.get(other.key);
    const isSame = seen?.op === other.op && seen?.lsn === other.lsn;
    expectThat(isSame, `${what} show ${name(other)}, the feed ${seen === undefined ? 'nothing' : name(seen)}`);
  }
}

function name(seen: Seen): string {
  return `${seen.key} of operation ${seen.op} (LSN ${seen.lsn})`;
}

function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
