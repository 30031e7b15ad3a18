// One unit on its way through the committer: it looks at the state of its keys, is decided, and becomes records.

import { assert, DatabaseError } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import { docKey, uniqueKey } from '../index/keys.ts';
import { queuedBytesMax } from '../limits.ts';
import type { RecordInput } from '../log/frame.ts';
import { operation, recordFlag } from '../log/frame.ts';
import type { Decide, StoredDocument, UnitOutcome, UnitResult } from '../range-engine.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { OpenGroup, StagedRecord } from '../state/group.ts';
import { StagedVersion } from '../state/group.ts';
import type { RangeState } from '../state/range.ts';
import type { Unit } from '../write/command.ts';
import type { CurrentDocument, Decision, Mutation, Outcome } from '../write/decision.ts';
import type { Submission } from './committer.ts';

/** Table entry, keys and system members of a record: enough for the bounds of the queue. */
const recordOverheadBytes = 512;

/** A body read from the disk for a decision, and the version it is of. */
export interface FetchedBody {
  readonly lsn: number;
  readonly ix: number;
  readonly body: Buffer;
}

interface DocumentKeys {
  readonly name: string;
  readonly id: Buffer;
  readonly key: Buffer;
  readonly keyText: string;
}

export class UnitSubmission implements Submission {
  readonly bytes: number;
  readonly #state: DatabaseState;
  readonly #container: ContainerState;
  readonly #range: RangeState;
  readonly #unit: Unit;
  readonly #decideUnit: Decide;
  readonly #resolve: (result: UnitResult | 'needs-body') => void;
  readonly #reject: (error: unknown) => void;
  /** Bodies fetched for this unit, valid only for the version they were read of. */
  readonly #bodies: ReadonlyMap<string, FetchedBody> | undefined;
  #lastKeys: DocumentKeys | undefined;
  /** What the decision rests on, so that it need not be looked up again; of a batch by id. */
  readonly #found: Map<string, Version> | undefined;
  #lastFound: Version | undefined;
  /** The ids whose bodies are to be fetched before the unit is submitted again. */
  missing: readonly string[] = [];

  constructor(options: {
    readonly state: DatabaseState;
    readonly container: ContainerState;
    readonly range: RangeState;
    readonly unit: Unit;
    readonly decide: Decide;
    readonly bodies: ReadonlyMap<string, FetchedBody> | undefined;
    resolve(result: UnitResult | 'needs-body'): void;
    reject(error: unknown): void;
  }) {
    this.#state = options.state;
    this.#container = options.container;
    this.#range = options.range;
    this.#unit = options.unit;
    this.#decideUnit = options.decide;
    this.#bodies = options.bodies;
    this.#resolve = options.resolve;
    this.#reject = options.reject;
    this.bytes = unitBytes(options.unit);
    this.#found = options.unit.commands.length === 1 ? undefined : new Map();
  }

  fail(error: DatabaseError): void {
    this.#reject(error);
  }

  decide(group: OpenGroup): void {
    try {
      this.#decideNow(group);
    } catch (error) {
      this.#reject(error);
    }
  }

  #decideNow(group: OpenGroup): void {
    const range = this.#range;
    if (range.isSealed || this.#state.findRange(range.number) !== range) {
      // Answered when the split is durable, so that whoever tries again finds the children.
      group.onSettled((failure) => this.#reject(failure ?? this.#gone()));
      return;
    }
    const nowMs = Math.max(this.#state.environment.clock.nowMs(), range.decidedTimeMs);
    const decision = this.#decideUnit(this, this.#unit, {
      nowMs,
      defaultTtl: this.#container.defaultTtl,
      uniqueKeys: this.#container.uniqueKeys,
      partitionKeyPaths: this.#container.partitionKeyPaths,
    });
    if (decision.kind === 'needs-body') {
      this.missing = decision.ids;
      this.#resolve('needs-body');
      return;
    }
    if (decision.kind === 'reject' || decision.mutations.length === 0) {
      this.#answerWithoutCommit(group, decision.outcomes);
      return;
    }
    if (mutationBytes(decision.mutations) > queuedBytesMax) {
      group.onSettled((failure) => this.#reject(failure ?? unitTooLarge()));
      return;
    }
    this.#commit(group, decision, nowMs);
  }

  /** The container of now knows the children; the one that the unit was submitted to does not. */
  #gone(): DatabaseError {
    const { number } = this.#container;
    return rangeIdGone(this.#state.findContainer(number) ?? this.#container, this.#range.entry.id);
  }

  current(id: string): CurrentDocument | undefined {
    const { key, keyText } = this.#keyOf(id);
    const { bytes } = this.#unit.partitionKey;
    const version = this.#state.findDecided(key, keyText);
    if (version === undefined) return undefined;
    if (this.#found === undefined) this.#lastFound = version;
    else this.#found.set(id, version);
    const isPurged = this.#state.isPurgeDecided(this.#container, bytes, version.lsn);
    return new FoundDocument(this.#container, version, this.#fetchedBody(id, version), isPurged);
  }

  uniqueHolder(key: number, digest: Buffer): string | undefined {
    return this.#state.findUniqueHolder(uniqueKey(this.#container.number, this.#unit.partitionKey.bytes, key, digest));
  }

  /** Most units look at one document and write it: its key is made once. */
  #keyOf(id: string): DocumentKeys {
    if (this.#lastKeys?.name === id) return this.#lastKeys;
    const { bytes, epk } = this.#unit.partitionKey;
    const idBytes = Buffer.from(id);
    const key = docKey(this.#container.number, epk, bytes, idBytes);
    this.#lastKeys = { name: id, id: idBytes, key, keyText: key.toString('latin1') };
    return this.#lastKeys;
  }

  #fetchedBody(id: string, version: Version): Buffer | undefined {
    const fetched = this.#bodies?.get(id);
    return fetched !== undefined && fetched.lsn === version.lsn && fetched.ix === version.ix ? fetched.body : undefined;
  }

  #answerWithoutCommit(group: OpenGroup, outcomes: readonly Outcome[]): void {
    group.onSettled((failure) => {
      if (failure !== undefined) this.#reject(failure);
      else {
        const result = outcomes.map((outcome) => resolved(outcome, []));
        this.#resolve({ isCommitted: false, range: this.#range.entry.id, lsn: this.#range.tailLsn, outcomes: result });
      }
    });
  }

  #commit(group: OpenGroup, decision: Extract<Decision, { kind: 'commit' }>, timeMs: number): void {
    const range = this.#range;
    const lsn = range.decidedLsn + 1;
    range.decidedLsn = lsn;
    range.decidedTimeMs = timeMs;
    const staged: StagedRecord[] = [];
    const { mutations } = decision;
    for (let ix = 0; ix < mutations.length; ix += 1) {
      staged.push(this.#stage(group, mutations, ix, { lsn, timeMs }, staged));
    }
    group.onSettled((failure) => {
      if (failure !== undefined) {
        this.#reject(failure);
        return;
      }
      const documents = staged.map((record) => this.#storedOf(record));
      const outcomes = decision.outcomes.map((outcome) => resolved(outcome, documents));
      this.#resolve({ isCommitted: true, range: range.entry.id, lsn, outcomes });
    });
  }

  #stage(
    group: OpenGroup,
    mutations: readonly Mutation[],
    ix: number,
    at: { readonly lsn: number; readonly timeMs: number },
    staged: readonly StagedRecord[],
  ): StagedRecord {
    const mutation = mutations[ix] as Mutation;
    const container = this.#container;
    const range = this.#range;
    const { bytes, epk } = this.#unit.partitionKey;
    const { id, key, keyText } = this.#keyOf(mutation.id);
    const previous = this.#previousOf(mutation, key, keyText, staged);
    const ridNumber = mutation.ridNumber ?? previous?.ridNumber ?? range.nextRid++;
    const record: RecordInput = {
      operation: operation[mutation.operation],
      flags: (ix === mutations.length - 1 ? recordFlag.endOfUnit : 0) | (mutation.isExpiry ? recordFlag.expiry : 0),
      lsn: at.lsn,
      ix,
      previousLsn: previous?.lsn ?? 0,
      previousIx: previous?.ix ?? 0,
      timeMs: at.timeMs,
      ridNumber,
      ttl: mutation.ttl,
      epk,
      partitionKey: bytes,
      id,
      uniqueDigests: mutation.uniqueDigests,
      body: mutation.openBytes,
      suffix: mutation.openBytes === undefined ? '' : container.suffix(ridNumber, at.lsn, ix, at.timeMs),
    };
    const entry: StagedRecord = {
      container: container.number,
      range: range.number,
      key,
      keyText,
      partitionKey: bytes,
      id: mutation.id,
      isInsert: mutation.operation === 'create',
      version:
        mutation.openBytes === undefined ? undefined : new StagedVersion(range.number, record, mutation.uniqueDigests),
      previous,
      lsn: at.lsn,
      timeMs: at.timeMs,
      tombstoneBytes: 0,
    };
    this.#state.stage(entry);
    group.add(container.number, range.number, record, entry);
    return entry;
  }

  #previousOf(mutation: Mutation, key: Buffer, keyText: string, staged: readonly StagedRecord[]): Version | undefined {
    if (mutation.previous === undefined) return undefined;
    if (mutation.previous.kind === 'unit') return staged[mutation.previous.mutation]?.version;
    const known = this.#found === undefined ? this.#lastFound : this.#found.get(mutation.id);
    const isKnown = known?.lsn === mutation.previous.lsn && known.ix === mutation.previous.ix;
    const found = isKnown ? known : this.#state.findDecided(key, keyText);
    assert(found !== undefined && found.lsn === mutation.previous.lsn, 'the version decided upon is still the latest');
    return found;
  }

  #storedOf(record: StagedRecord): StoredDocument | undefined {
    const version = record.version;
    return version === undefined ? undefined : new CommittedDocument(this.#container, version);
  }
}

// Both of these make etag and body when somebody asks: for most writes nobody does.

class FoundDocument implements CurrentDocument {
  readonly lsn: number;
  readonly ix: number;
  readonly ridNumber: number;
  readonly timeMs: number;
  readonly ttl: number | undefined;
  readonly uniqueDigests: Buffer;
  readonly isPurged: boolean;
  readonly #container: ContainerState;
  readonly #version: Version;
  readonly #fetched: Buffer | undefined;

  constructor(container: ContainerState, version: Version, fetched: Buffer | undefined, isPurged: boolean) {
    this.lsn = version.lsn;
    this.ix = version.ix;
    this.ridNumber = version.ridNumber;
    this.timeMs = version.timeMs;
    this.ttl = version.ttl;
    this.uniqueDigests = version.uniqueDigests;
    this.isPurged = isPurged;
    this.#container = container;
    this.#version = version;
    this.#fetched = fetched;
  }

  get etag(): string {
    return this.#container.etagOf(this.lsn, this.ix);
  }

  get body(): Buffer | undefined {
    return this.#version.body ?? this.#fetched;
  }
}

class CommittedDocument implements StoredDocument {
  readonly #container: ContainerState;
  readonly #version: Version;

  constructor(container: ContainerState, version: Version) {
    this.#container = container;
    this.#version = version;
  }

  get lsn(): number {
    return this.#version.lsn;
  }

  get ix(): number {
    return this.#version.ix;
  }

  get timeMs(): number {
    return this.#version.timeMs;
  }

  get etag(): string {
    return this.#container.etagOf(this.lsn, this.ix);
  }

  get bytes(): Buffer {
    const { body } = this.#version;
    assert(body !== undefined, 'a version that has just been committed is in memory');
    return body;
  }
}

/** Names what took the range's place, as far as it is known. */
export function rangeIdGone(container: ContainerState, id: string): DatabaseError {
  const children = container.entry.gone.find((gone) => gone.id === id)?.children ?? [];
  return new DatabaseError('range-gone', `The range ${id} has been split or merged.`, {
    detail: { range: id, children },
  });
}

function resolved(outcome: Outcome, documents: readonly (StoredDocument | undefined)[]): UnitOutcome {
  switch (outcome.kind) {
    case 'created':
    case 'replaced':
      return { kind: outcome.kind, document: documentAt(documents, outcome.mutation) };
    case 'read': {
      if ('mutation' in outcome) return { kind: 'read', document: documentAt(documents, outcome.mutation) };
      const { lsn, ix, etag, timeMs, body } = outcome.stored;
      assert(body !== undefined, 'a document that is read has its body');
      return { kind: 'read', document: { lsn, ix, etag, timeMs, bytes: body } };
    }
    default:
      return outcome;
  }
}

function documentAt(documents: readonly (StoredDocument | undefined)[], mutation: number): StoredDocument {
  const document = documents[mutation];
  assert(document !== undefined, 'an outcome names a mutation that left a document');
  return document;
}

/** What the unit would store: a patch of a few bytes may write a document of two million. */
function mutationBytes(mutations: readonly Mutation[]): number {
  return mutations.reduce((bytes, mutation) => bytes + (mutation.openBytes?.length ?? 0), 0);
}

function unitTooLarge(): DatabaseError {
  const message = `The documents of one transaction may have at most ${queuedBytesMax} bytes together.`;
  return new DatabaseError('batch-too-large', message);
}

function unitBytes(unit: Unit): number {
  let bytes = 0;
  for (const command of unit.commands) {
    bytes += recordOverheadBytes + ('document' in command ? command.document.openBytes.length : 0);
  }
  return bytes;
}
