// The reference model of a container: what the engine promises, in the simplest code that says it. A list of every change
// that was ever committed, a map with the latest one of each document, and the ranges with their tails. It knows nothing of
// segments, indexes, overlays or compaction: none of them may show.

import type { ErrorCode, KeyRange } from '@tidemark/model';
import { effectiveKeyHex } from '@tidemark/model';

export interface ModelKey {
  readonly values: readonly (string | number)[];
  readonly text: string;
  readonly bytes: Buffer;
  readonly epk: Buffer;
  readonly epkHex: string;
}

export interface ModelVersion {
  readonly key: ModelKey;
  readonly id: string;
  readonly operation: 'create' | 'replace' | 'delete';
  readonly isExpiry: boolean;
  readonly lsn: number;
  readonly ix: number;
  readonly timeMs: number;
  readonly previous: ModelVersion | undefined;
  /** The client's members. */
  readonly value: Readonly<Record<string, unknown>>;
  /** As stored, `_lsn` included; empty for a delete. */
  readonly bytes: Buffer;
}

export interface ModelRange extends KeyRange {
  readonly id: string;
  tailLsn: number;
  timeMs: number;
  floorLsn: number;
  /** Two LSN sequences meet somewhere in its past. */
  readonly hasMerged: boolean;
}

export type ModelOperation =
  | {
      readonly kind: 'create' | 'upsert' | 'replace';
      readonly value: Readonly<Record<string, unknown>>;
      readonly ifMatch?: string;
    }
  | {
      readonly kind: 'patch';
      readonly id: string;
      readonly set: Readonly<Record<string, unknown>>;
      readonly ifMatch?: string;
    }
  | { readonly kind: 'delete' | 'read'; readonly id: string; readonly ifMatch?: string };

/** A change that the model expects of a unit, before it has an LSN. */
export interface ExpectedMutation {
  readonly id: string;
  readonly operation: 'create' | 'replace' | 'delete';
  readonly isExpiry: boolean;
  readonly value: Readonly<Record<string, unknown>>;
  readonly previous: ModelVersion | ExpectedMutation | undefined;
}

export type Expectation =
  | { readonly kind: 'commit'; readonly mutations: readonly ExpectedMutation[] }
  | { readonly kind: 'reject'; readonly code: ErrorCode; readonly operation: number };

export interface ModelOptions {
  readonly name: string;
  readonly paths: readonly string[];
  readonly defaultTtl: number | undefined;
  readonly isUnique: boolean;
  readonly historyMs: number;
}

export class ModelContainer {
  readonly options: ModelOptions;
  historyMs: number;
  ranges: ModelRange[];
  /** Every change, in the order of its commit. */
  log: ModelVersion[] = [];
  /** What is physically there, by partition key and id; expired and purged documents until their delete is written. */
  readonly documents = new Map<string, ModelVersion>();
  /** Partition key → everything up to this LSN is gone. */
  readonly purges = new Map<string, number>();

  constructor(options: ModelOptions, ranges: ModelRange[]) {
    this.options = options;
    this.historyMs = options.historyMs;
    this.ranges = ranges;
  }

  copy(): ModelContainer {
    const copy = new ModelContainer(
      this.options,
      this.ranges.map((range) => ({ ...range })),
    );
    copy.historyMs = this.historyMs;
    copy.log = [...this.log];
    for (const [key, version] of this.documents) copy.documents.set(key, version);
    for (const [key, lsn] of this.purges) copy.purges.set(key, lsn);
    return copy;
  }

  rangeOf(key: ModelKey): ModelRange {
    const found = this.ranges.find((range) => range.min <= key.epkHex && key.epkHex < range.max);
    if (found === undefined) throw new Error(`the model has no range for ${key.epkHex}`);
    return found;
  }

  timeIn(range: ModelRange, clockMs: number): number {
    return Math.max(clockMs, range.timeMs);
  }

  isVisible(version: ModelVersion, clockMs: number): boolean {
    return !this.isExpired(version, clockMs) && !this.isPurged(version);
  }

  isExpired(version: ModelVersion, clockMs: number): boolean {
    const { defaultTtl } = this.options;
    if (defaultTtl === undefined) return false;
    const own = version.value.ttl;
    const ttl = typeof own === 'number' ? own : defaultTtl;
    if (ttl < 0) return false;
    const nowMs = this.timeIn(this.rangeOf(version.key), clockMs);
    return nowMs >= (Math.floor(version.timeMs / 1000) + ttl) * 1000;
  }

  isPurged(version: ModelVersion): boolean {
    return version.lsn <= (this.purges.get(version.key.text) ?? -1);
  }

  find(key: ModelKey, id: string): ModelVersion | undefined {
    return this.documents.get(nameOf(key, id));
  }

  /** What a unit should come to, from the state as it is. */
  expect(key: ModelKey, operations: readonly ModelOperation[], clockMs: number, etagOf: EtagOf): Expectation {
    return new UnitModel(this, key, clockMs, etagOf).run(operations);
  }

  /** Takes over a committed version. */
  commit(version: ModelVersion): void {
    const range = this.rangeOf(version.key);
    range.tailLsn = Math.max(range.tailLsn, version.lsn);
    range.timeMs = Math.max(range.timeMs, version.timeMs);
    this.log.push(version);
    if (version.operation === 'delete') this.documents.delete(nameOf(version.key, version.id));
    else this.documents.set(nameOf(version.key, version.id), version);
  }

  split(id: string, at: string, childIds: readonly string[]): void {
    const index = this.ranges.findIndex((range) => range.id === id);
    const parent = this.ranges[index] as ModelRange;
    const children = [
      { ...parent, id: childIds[0] as string, max: at },
      { ...parent, id: childIds[1] as string, min: at },
    ];
    this.ranges.splice(index, 1, ...children);
  }

  merge(leftId: string, childId: string): void {
    const index = this.ranges.findIndex((range) => range.id === leftId);
    const [left, right] = this.ranges.slice(index, index + 2) as [ModelRange, ModelRange];
    const child: ModelRange = {
      id: childId,
      min: left.min,
      max: right.max,
      tailLsn: Math.max(left.tailLsn, right.tailLsn),
      timeMs: Math.max(left.timeMs, right.timeMs),
      floorLsn: Math.max(left.floorLsn, right.floorLsn),
      hasMerged: true,
    };
    this.ranges.splice(index, 2, child);
  }

  /** The latest versions after an LSN that a reader of these keys sees, in the order of the feed. */
  latestAfter(keys: KeyRange, after: number, clockMs: number): ModelVersion[] {
    const found = [...this.documents.values()].filter(
      (version) => version.lsn > after && isWithin(version.key, keys) && this.isVisible(version, clockMs),
    );
    return found.sort(inFeedOrder);
  }

  versionsAfter(keys: KeyRange, after: number): ModelVersion[] {
    return this.log.filter((version) => version.lsn > after && isWithin(version.key, keys)).sort(inFeedOrder);
  }
}

export type EtagOf = (version: ModelVersion) => string;

/** The state of one logical partition as the operations of a unit see it. */
class UnitModel {
  readonly #container: ModelContainer;
  readonly #key: ModelKey;
  readonly #clockMs: number;
  readonly #etagOf: EtagOf;
  readonly #mutations: ExpectedMutation[] = [];
  /** Id → what the unit made of it; undefined for deleted. */
  readonly #made = new Map<string, ExpectedMutation | undefined>();

  constructor(container: ModelContainer, key: ModelKey, clockMs: number, etagOf: EtagOf) {
    this.#container = container;
    this.#key = key;
    this.#clockMs = clockMs;
    this.#etagOf = etagOf;
  }

  run(operations: readonly ModelOperation[]): Expectation {
    for (const [i, operation] of operations.entries()) {
      const code = this.#apply(operation);
      if (code !== undefined) return { kind: 'reject', code, operation: i };
    }
    return { kind: 'commit', mutations: this.#mutations };
  }

  #apply(operation: ModelOperation): ErrorCode | undefined {
    const id = 'value' in operation ? (operation.value.id as string) : operation.id;
    const live = this.#live(id);
    switch (operation.kind) {
      case 'create':
        return live !== undefined ? 'conflict' : this.#create(id, operation.value);
      case 'upsert':
        if (live === undefined) return this.#create(id, operation.value);
        return this.#meets(live, operation.ifMatch) ? this.#replace(id, live, operation.value) : 'precondition-failed';
      case 'replace':
        if (live === undefined) return 'not-found';
        return this.#meets(live, operation.ifMatch) ? this.#replace(id, live, operation.value) : 'precondition-failed';
      case 'patch':
        if (live === undefined) return 'not-found';
        if (!this.#meets(live, operation.ifMatch)) return 'precondition-failed';
        return this.#replace(id, live, { ...live.value, ...operation.set });
      case 'delete':
        if (live === undefined) return 'not-found';
        if (!this.#meets(live, operation.ifMatch)) return 'precondition-failed';
        this.#remove(id, live, false);
        return undefined;
      default:
        return live === undefined ? 'not-found' : undefined;
    }
  }

  #create(id: string, value: Readonly<Record<string, unknown>>): ErrorCode | undefined {
    const stored = this.#made.has(id) ? undefined : this.#container.find(this.#key, id);
    if (stored !== undefined) this.#removeOver(stored);
    if (!this.#claim(id, value)) return 'unique-key-violation';
    this.#add({ id, operation: 'create', isExpiry: false, value, previous: undefined });
    return undefined;
  }

  #replace(
    id: string,
    live: ModelVersion | ExpectedMutation,
    value: Readonly<Record<string, unknown>>,
  ): ErrorCode | undefined {
    if (!this.#claim(id, value)) return 'unique-key-violation';
    this.#add({ id, operation: 'replace', isExpiry: false, value, previous: live });
    return undefined;
  }

  #remove(id: string, previous: ModelVersion | ExpectedMutation, isExpiry: boolean): void {
    this.#add({ id, operation: 'delete', isExpiry, value: {}, previous });
  }

  #removeOver(stored: ModelVersion): void {
    const isExpiry = !this.#container.isPurged(stored);
    this.#remove(stored.id, stored, isExpiry);
  }

  /** False when another live document of the partition has the value; one that is over makes way. */
  #claim(id: string, value: Readonly<Record<string, unknown>>): boolean {
    if (!this.#container.options.isUnique) return true;
    const wanted = value.u ?? null;
    for (const [otherId, made] of [...this.#made]) {
      if (otherId !== id && made !== undefined && (made.value.u ?? null) === wanted) return false;
    }
    for (const stored of [...this.#container.documents.values()]) {
      if (stored.key.text !== this.#key.text || stored.id === id || this.#made.has(stored.id)) continue;
      if ((stored.value.u ?? null) !== wanted) continue;
      if (this.#container.isVisible(stored, this.#clockMs)) return false;
      this.#removeOver(stored);
    }
    return true;
  }

  #live(id: string): ModelVersion | ExpectedMutation | undefined {
    if (this.#made.has(id)) return this.#made.get(id);
    const stored = this.#container.find(this.#key, id);
    return stored !== undefined && this.#container.isVisible(stored, this.#clockMs) ? stored : undefined;
  }

  #meets(live: ModelVersion | ExpectedMutation, ifMatch: string | undefined): boolean {
    if (ifMatch === undefined) return true;
    return 'lsn' in live && this.#etagOf(live) === ifMatch;
  }

  #add(mutation: ExpectedMutation): void {
    this.#mutations.push(mutation);
    this.#made.set(mutation.id, mutation.operation === 'delete' ? undefined : mutation);
  }
}

export function nameOf(key: ModelKey, id: string): string {
  return `${key.text}/${id}`;
}

export function modelKey(values: readonly (string | number)[], bytes: Buffer, epk: Buffer): ModelKey {
  return { values, text: JSON.stringify(values), bytes, epk, epkHex: effectiveKeyHex(epk) };
}

function isWithin(key: ModelKey, keys: KeyRange): boolean {
  return keys.min <= key.epkHex && key.epkHex < keys.max;
}

/** Where two sequences share an LSN their order does not matter: put into one by the key. */
export function inFeedOrder(a: ModelVersion, b: ModelVersion): number {
  return a.lsn - b.lsn || (a.key.epkHex < b.key.epkHex ? -1 : a.key.epkHex > b.key.epkHex ? 1 : a.ix - b.ix);
}
