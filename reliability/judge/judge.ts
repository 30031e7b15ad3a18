// Acknowledged writes against what is read back and what the consumers of the feed were given.
//
// Writes are numbered within their partition key, and one is begun when the one before it was acknowledged: so the numbers are the
// order in which they happened. A write whose outcome is unknown is sent again under its number until it is acknowledged; it may then
// have happened more than once.
//
//   lost         acknowledged, and what is read back is older
//   skipped      acknowledged, and a consumer was given neither it nor what took its place
//   disordered   given to a consumer for the first time after a later write of the same partition key
//   repeated     given more often than it was sent, to a consumer that goes on from its own continuation
//   invented     read back or given, and never sent

export interface Write {
  readonly key: string;
  /** From 1 on, without gaps. */
  readonly n: number;
  readonly id: string;
  readonly isDelete: boolean;
}

export interface ConsumerRules {
  /** Of documents that change quickly the feed `latest` shows the last version, and it shows no deletes. */
  readonly sees: 'latest' | 'every';
  /** Whether what was given may be given again, as to a handler whose host died before its checkpoint. */
  readonly mayRepeat: boolean;
}

export interface Verdict {
  readonly lost: readonly string[];
  readonly skipped: readonly string[];
  readonly disordered: readonly string[];
  readonly repeated: readonly string[];
  readonly invented: readonly string[];
}

interface Tracked extends Write {
  attempts: number;
  isAcknowledged: boolean;
}

interface Key {
  /** By number; without those that are settled. */
  readonly writes: Map<number, Tracked>;
  /** The last acknowledged write of each id. */
  readonly last: Map<string, Write>;
  /** Everything up to here was judged and forgotten. */
  settledTo: number;
}

interface Given {
  readonly key: string;
  readonly n: number;
  /** Grows with time; what several processes say of one consumer arrives in any order. */
  readonly at: bigint;
}

interface Consumer extends ConsumerRules {
  given: Given[];
  /** Key → number → how often. */
  readonly times: Map<string, Map<number, number>>;
}

export class Judge {
  readonly #keys = new Map<string, Key>();
  readonly #consumers: ReadonlyMap<string, Consumer>;
  readonly #invented: string[] = [];
  readonly #repeated: string[] = [];
  #acknowledged = 0;
  #ticks = 0n;

  constructor(consumers: Readonly<Record<string, ConsumerRules>>) {
    const made = Object.entries(consumers).map(([name, rules]) => [name, { ...rules, given: [], times: new Map() }]);
    this.#consumers = new Map(made as [string, Consumer][]);
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** To be called before each attempt. */
  begin(write: Write): void {
    const { writes } = this.#keyOf(write.key);
    const known = writes.get(write.n);
    if (known === undefined) writes.set(write.n, { ...write, attempts: 1, isAcknowledged: false });
    else known.attempts += 1;
  }

  acknowledge({ key, n }: Pick<Write, 'key' | 'n'>): void {
    const { writes, last } = this.#keyOf(key);
    const write = writes.get(n);
    if (write === undefined) throw new Error(`${key} ${n} was acknowledged and never begun`);
    write.isAcknowledged = true;
    this.#acknowledged += 1;
    if ((last.get(write.id)?.n ?? 0) < n) last.set(write.id, write);
  }

  give(consumer: string, { key, n, at }: { readonly key: string; readonly n: number; readonly at?: bigint }): void {
    const { given, times, mayRepeat } = this.#consumer(consumer);
    const { writes, settledTo } = this.#keyOf(key);
    this.#ticks += 1n;
    given.push({ key, n, at: at ?? this.#ticks });
    const ofKey = times.get(key) ?? new Map<number, number>();
    times.set(key, ofKey);
    const count = (ofKey.get(n) ?? 0) + 1;
    ofKey.set(n, count);
    if (n <= settledTo) {
      if (!mayRepeat) this.#repeated.push(`${consumer}: ${key} ${n}`);
      return;
    }
    const write = writes.get(n);
    if (write === undefined) this.#invented.push(`${consumer}: ${key} ${n}`);
    else if (!mayRepeat && count > write.attempts) this.#repeated.push(`${consumer}: ${key} ${n}`);
  }

  /** What a consumer still has to be given. */
  missing(consumer: string): string[] {
    const { sees, times } = this.#consumer(consumer);
    const missing: string[] = [];
    for (const [key, { writes }] of this.#keys) {
      const given = times.get(key) ?? new Map<number, number>();
      const covered = sees === 'latest' ? coveredLatest(writes, given) : undefined;
      for (const { n, id, isDelete, isAcknowledged } of writes.values()) {
        if (!isAcknowledged || given.has(n)) continue;
        if (covered !== undefined && (isDelete || n <= (covered.get(id) ?? 0))) continue;
        missing.push(`${consumer}: ${key} ${n}`);
      }
    }
    return missing;
  }

  get isAnyMissing(): boolean {
    return [...this.#consumers.keys()].some((consumer) => this.missing(consumer).length > 0);
  }

  /** Ids that were written to, with their partition keys. */
  *documents(): IterableIterator<{ readonly key: string; readonly id: string }> {
    for (const [key, { last }] of this.#keys) for (const id of last.keys()) yield { key, id };
  }

  /** `found`: key → id → the number that was read back. To be called when everything that was begun is acknowledged or over. */
  verdict(found: ReadonlyMap<string, ReadonlyMap<string, number>>): Verdict {
    const names = [...this.#consumers.keys()];
    const invented = [...this.#invented];
    const lost: string[] = [];
    for (const [key, { writes, last, settledTo }] of this.#keys) {
      const ofKey = found.get(key);
      for (const [id, write] of last) {
        const isOver = isHidden(write, ofKey?.get(id), writes);
        if (!isOver) lost.push(`${key} ${write.n} (${id}): ${ofKey?.get(id) ?? 'nothing'} is there`);
      }
      for (const [id, n] of ofKey ?? []) {
        if (n > settledTo ? writes.get(n)?.id !== id : last.get(id) === undefined) invented.push(`${key} ${n} (${id})`);
      }
    }
    return {
      lost,
      skipped: names.flatMap((name) => this.missing(name)),
      disordered: names.flatMap((name) => this.#disordered(name)),
      repeated: [...this.#repeated],
      invented,
    };
  }

  /** Forgets what was judged, so that a run may last as long as one likes. */
  settle(): void {
    for (const key of this.#keys.values()) {
      for (const n of key.writes.keys()) key.settledTo = Math.max(key.settledTo, n);
      key.writes.clear();
    }
    for (const consumer of this.#consumers.values()) {
      consumer.given = [];
      consumer.times.clear();
    }
  }

  #disordered(name: string): string[] {
    const { given } = this.#consumer(name);
    const highest = new Map<string, number>();
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const { key, n } of given.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
      const isOld = n <= this.#keyOf(key).settledTo || seen.has(`${n} ${key}`);
      if (isOld) continue;
      seen.add(`${n} ${key}`);
      const before = highest.get(key) ?? 0;
      if (n < before) wrong.push(`${name}: ${key} ${n} after ${before}`);
      highest.set(key, Math.max(before, n));
    }
    return wrong;
  }

  #keyOf(name: string): Key {
    const key = this.#keys.get(name) ?? { writes: new Map(), last: new Map(), settledTo: 0 };
    this.#keys.set(name, key);
    return key;
  }

  #consumer(name: string): Consumer {
    const consumer = this.#consumers.get(name);
    if (consumer === undefined) throw new Error(`nobody is called ${name}`);
    return consumer;
  }
}

export function problemsOf(verdict: Verdict): string[] {
  return Object.entries(verdict).flatMap(([kind, ones]) => ones.map((one: string) => `${kind}: ${one}`));
}

/** Id → up to which number nothing is missing: a later version was given, or was deleted before anybody looked. */
function coveredLatest(
  writes: ReadonlyMap<number, Tracked>,
  given: ReadonlyMap<number, number>,
): ReadonlyMap<string, number> {
  const covered = new Map<string, number>();
  for (const { n, id, isDelete } of writes.values()) {
    if ((isDelete || given.has(n)) && n > (covered.get(id) ?? 0)) covered.set(id, n);
  }
  return covered;
}

/** Whether what is there is the write, or something later that was sent. */
function isHidden(write: Write, found: number | undefined, writes: ReadonlyMap<number, Tracked>): boolean {
  const later = [...writes.values()].filter(({ id, n }) => id === write.id && n > write.n);
  if (found === undefined) return write.isDelete || later.some(({ isDelete }) => isDelete);
  if (found === write.n) return !write.isDelete;
  return later.some(({ n, isDelete }) => n === found && !isDelete);
}
