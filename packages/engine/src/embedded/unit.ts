// One unit on its way through the committer: it looks at the state of its keys, is decided, and becomes records.

import { assert, DatabaseError } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import { lentDocKey, lentIdBytes, uniqueKey } from '../index/keys.ts';
import { queuedBytesMax } from '../limits.ts';
import type { OperationNumber } from '../log/frame.ts';
import { operation, recordFlag } from '../log/frame.ts';
import type { RecordInput } from '../log/frame-writer.ts';
import { occupiedBytes } from '../log/frame-writer.ts';
import type { Decide, StoredDocument, UnitOutcome, UnitResult } from '../range-engine.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { GroupWaiter, LentKey, OpenGroup, Staging } from '../state/group.ts';
import { StagedRecord } from '../state/group.ts';
import { KeySlab } from '../state/key-slab.ts';
import type { RangeState } from '../state/range.ts';
import type { Unit } from '../write/command.ts';
import type { CurrentDocument, DecideView, Mutation, Outcome } from '../write/decision.ts';
import { noDigests } from '../write/unique.ts';
import type { Submission } from './committer.ts';
import { liveRange, rangeIdGone } from './range-changes.ts';
import type { Finder } from './unit-documents.ts';
import { CommittedDocument, Found } from './unit-documents.ts';

/** Table entry, keys and system members of a record: enough for the bounds of the queue. */
const recordOverheadBytes = 512;

/** A body for a decision, read from the disk or copied from where it will not stay, and the version it is of. */
export interface FetchedBody {
  readonly lsn: number;
  readonly ix: number;
  readonly body: Buffer;
}

/** What submissions need of the engine. */
export interface UnitHost {
  readonly state: DatabaseState;
  /** Fetches the bodies and submits the unit again. */
  fetchBodies(submission: UnitSubmission, ids: readonly string[]): void;
  /** Submits the unit to the range that its partition key is in by now. */
  reroute(submission: UnitSubmission): void;
}

/** Where a unit is decided. */
export interface UnitTarget {
  readonly container: ContainerState;
  readonly range: RangeState;
  /** Somebody wants it in this very range, and will hear of it if that is no more. */
  readonly isFixed: boolean;
}

/** In this range, which has to be there, or in the one that holds the partition key. */
export function unitTarget(container: ContainerState, range: string | undefined, unit: Unit): UnitTarget {
  if (range === undefined) return { container, range: container.rangeOf(unit.partitionKey.epk), isFixed: false };
  return { container, range: liveRange(container, range), isFixed: true };
}

export class UnitSubmission implements Submission, GroupWaiter, DecideView, Finder {
  readonly bytes: number;
  readonly unit: Unit;
  readonly container: ContainerState;
  readonly range: RangeState;
  readonly isFixed: boolean;
  readonly #host: UnitHost;
  readonly #decideUnit: Decide;
  readonly #resolve: (result: UnitResult) => void;
  readonly #reject: (error: unknown) => void;
  /** Valid only for the version they were read of. One for all commands: each would have a copy of its own. */
  #bodies: Map<string, FetchedBody> | undefined;
  /** Of the group that it is decided for. */
  #keys: KeySlab | undefined;
  /** What the decision rests on, so that it need not be looked up again. */
  #found: Found[] | undefined;
  /** Documents are written down in the order in which they were looked for, mostly. */
  #next = 0;
  /** What its group is about to make true. */
  #outcomes: readonly Outcome[] = [];
  #mutations: readonly Mutation[] | undefined;
  #staged: StagedRecord[] | undefined;
  /** Its range has been split or merged. */
  #isGone = false;
  #isTooLarge = false;

  constructor(
    host: UnitHost,
    target: UnitTarget,
    unit: Unit,
    decide: Decide,
    bodies: Map<string, FetchedBody> | undefined,
    resolve: (result: UnitResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.#host = host;
    this.container = target.container;
    this.range = target.range;
    this.isFixed = target.isFixed;
    this.unit = unit;
    this.#decideUnit = decide;
    this.#bodies = bodies;
    this.#resolve = resolve;
    this.#reject = reject;
    this.bytes = unitBytes(unit);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  /** The same unit once more, on the state of now. */
  again(target: UnitTarget, bodies: Map<string, FetchedBody> | undefined): UnitSubmission {
    return new UnitSubmission(this.#host, target, this.unit, this.#decideUnit, bodies, this.#resolve, this.#reject);
  }

  get bodies(): Map<string, FetchedBody> | undefined {
    return this.#bodies;
  }

  decide(group: OpenGroup): void {
    try {
      this.#decideNow(group);
    } catch (error) {
      this.#reject(error);
    }
  }

  #decideNow(group: OpenGroup): void {
    const { range, container } = this;
    const { state } = this.#host;
    if (range.isSealed || state.findRange(range.number) !== range) {
      // When the split is durable it goes on, or is answered: then its children can be found.
      this.#isGone = true;
      group.onSettled(this);
      return;
    }
    this.#keys = group.keys;
    const nowMs = Math.max(state.environment.clock.nowMs(), range.decidedTimeMs);
    const keyBytes = group.keys.usedBytes;
    const decision = this.#decideUnit(this, this.unit, container.contextAt(nowMs));
    if (decision.kind === 'needs-body') {
      // Nobody is left in the group, which may never be written.
      group.keys.cutTo(keyBytes);
      this.#host.fetchBodies(this, decision.ids);
      return;
    }
    this.#outcomes = decision.outcomes;
    if (decision.kind === 'commit' && decision.mutations.length > 0) {
      if (mutationBytes(decision.mutations) > queuedBytesMax) this.#isTooLarge = true;
      else {
        this.#commit(group, decision.mutations, nowMs);
        this.unit.letGo?.();
      }
    }
    group.onSettled(this);
  }

  settled(failure: DatabaseError | undefined): void {
    const { range } = this;
    if (failure !== undefined) this.#reject(failure);
    else if (this.#isTooLarge) this.#reject(unitTooLarge());
    else if (this.#isGone) {
      if (this.isFixed) this.#reject(this.#gone());
      else this.#host.reroute(this);
    } else {
      const staged = this.#staged;
      const lsn = staged === undefined ? range.tailLsn : (staged[0] as StagedRecord).lsn;
      try {
        const outcomes = this.#resolvedOutcomes();
        this.#resolve({ isCommitted: staged !== undefined, range: range.entry.id, lsn, outcomes });
      } catch (error) {
        // Whoever waits behind this one must be told all the same.
        this.#reject(error);
      }
    }
  }

  #resolvedOutcomes(): UnitOutcome[] {
    const decided = this.#outcomes;
    const outcomes = new Array<UnitOutcome>(decided.length);
    for (let i = 0; i < decided.length; i += 1) outcomes[i] = this.#resolved(decided[i] as Outcome);
    return outcomes;
  }

  /** The container of now knows the children; the one that the unit was submitted to does not. */
  #gone(): DatabaseError {
    const { number } = this.container;
    return rangeIdGone(this.#host.state.findContainer(number) ?? this.container, this.range.entry.id);
  }

  current(id: string): CurrentDocument | undefined {
    const found = this.#find(id);
    const { version } = found;
    if (version === undefined) return undefined;
    found.isPurged = this.#host.state.isPurgeDecided(this.container, this.unit.partitionKey.bytes, version.lsn);
    return found;
  }

  /** Of a document that it has found. Once it was there it stays: by the time it is sent, another frame may be in its memory. */
  bodyOf(id: string, version: Version): Buffer | undefined {
    const fetched = this.#fetchedBody(id, version);
    if (fetched !== undefined) return fetched;
    const body = version.body ?? this.#host.state.overlay.findBody(version);
    if (body === undefined) return undefined;
    this.#bodies ??= new Map();
    this.#bodies.set(id, { lsn: version.lsn, ix: version.ix, body });
    return body;
  }

  hasBodyOf(id: string, version: Version): boolean {
    if (version instanceof StagedRecord || this.#fetchedBody(id, version) !== undefined) return true;
    return this.#host.state.overlay.hasBody(version);
  }

  uniqueHolder(key: number, digest: Buffer): string | undefined {
    const { bytes } = this.unit.partitionKey;
    return this.#host.state.findUniqueHolder(uniqueKey(this.container.number, bytes, key, digest));
  }

  #find(id: string): Found {
    const { bytes, epk } = this.unit.partitionKey;
    const key = lentDocKey(this.container.number, epk, bytes, lentIdBytes(id));
    const { state } = this.#host;
    const hash = state.index.hashOf(key);
    const slab = this.#keys as KeySlab; // It is only looked for while it is decided.
    const found = new Found(this, id, slab, slab.add(key), key.length, hash, state.findDecided(key, hash));
    if (this.#found === undefined) this.#found = [found];
    else this.#found.push(found);
    return found;
  }

  /** What `#find` has found while the unit was decided; nothing else has been decided since. */
  #known(id: string): Found {
    const next = this.#found?.[this.#next];
    if (next?.id === id) {
      this.#next += 1;
      return next;
    }
    const known = this.#found?.find((found) => found.id === id);
    assert(known !== undefined, 'a document is looked for before it is written');
    return known;
  }

  #fetchedBody(id: string, version: Version): Buffer | undefined {
    const fetched = this.#bodies?.get(id);
    return fetched !== undefined && fetched.lsn === version.lsn && fetched.ix === version.ix ? fetched.body : undefined;
  }

  #commit(group: OpenGroup, mutations: readonly Mutation[], timeMs: number): void {
    const { range } = this;
    const lsn = range.decidedLsn + 1;
    range.decidedLsn = lsn;
    range.decidedTimeMs = timeMs;
    this.#mutations = mutations;
    const staged = new Array<StagedRecord>(mutations.length);
    const { bytes, epk } = this.unit.partitionKey;
    draft.lsn = lsn;
    draft.timeMs = timeMs;
    draft.epk = epk;
    draft.partitionKey = bytes;
    try {
      for (let ix = 0; ix < mutations.length; ix += 1) staged[ix] = this.#stage(group, mutations, ix, staged);
    } finally {
      letGoOfDraft();
    }
    this.#staged = staged;
    this.#found = undefined;
  }

  /** One of the records of the unit, whose LSN, time and key are in the draft. */
  #stage(group: OpenGroup, mutations: readonly Mutation[], ix: number, staged: readonly StagedRecord[]): StagedRecord {
    const mutation = mutations[ix] as Mutation;
    const { container, range } = this;
    const found = this.#known(mutation.id);
    const previous = previousOf(mutation, found.version, staged);
    const { uniqueDigests, document } = mutation;
    const hasUniques = uniqueDigests.length + (previous?.uniqueDigests.length ?? 0) > 0;
    draft.operation = operationOf(mutation);
    draft.flags =
      (ix === mutations.length - 1 ? recordFlag.endOfUnit : 0) | (mutation.isExpiry ? recordFlag.expiry : 0);
    draft.ix = ix;
    draft.previousLsn = previous?.lsn ?? 0;
    draft.previousIx = previous?.ix ?? 0;
    draft.ridNumber = mutation.ridNumber ?? previous?.ridNumber ?? range.nextRid++;
    draft.ttl = mutation.ttl;
    draft.id = lentIdBytes(mutation.id);
    draft.uniqueDigests = uniqueDigests;
    draft.body = document?.bytes;
    draft.bodyLength = document?.openLength ?? 0;
    draft.tail = document === undefined ? undefined : container.system.tailOf(document.places);
    staging.key = found;
    staging.isInsert = mutation.operation === 'create';
    staging.uniqueDigests = uniqueDigests;
    staging.recordBytes = occupiedBytes(draft);
    staging.owner = hasUniques ? { partitionKey: this.unit.partitionKey.bytes, id: mutation.id } : undefined;
    staging.previous = previous;
    const record = group.add(container.number, range.number, draft, staging);
    this.#host.state.stage(record);
    return record;
  }

  #resolved(outcome: Outcome): UnitOutcome {
    switch (outcome.kind) {
      case 'created':
      case 'replaced':
        return { kind: outcome.kind, document: this.#committed(outcome.mutation) };
      case 'read': {
        if ('mutation' in outcome) return { kind: 'read', document: this.#committed(outcome.mutation) };
        const { lsn, ix, etag, timeMs, body } = outcome.stored;
        assert(body !== undefined, 'a document that is read has its body');
        return { kind: 'read', document: { lsn, ix, etag, timeMs, sizeBytes: body.length, bytes: body } };
      }
      default:
        return outcome;
    }
  }

  #committed(mutation: number): StoredDocument {
    const record = this.#staged?.[mutation];
    const document = this.#mutations?.[mutation]?.document;
    assert(record !== undefined && document !== undefined, 'an outcome names a mutation that left a document');
    return new CommittedDocument(this.container, record, document);
  }
}

// The record on its way into the group, filled in anew for each: the group writes it down at once and keeps nothing of it.

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

const noKey: LentKey = { slab: new KeySlab(), start: 0, bytes: 0, hash: 0 };

const staging: Writable<Staging> = {
  key: noKey,
  isInsert: false,
  uniqueDigests: noDigests,
  recordBytes: 0,
  owner: undefined,
  previous: undefined,
};

const draft: Writable<RecordInput> = {
  operation: operation.create,
  flags: 0,
  lsn: 0,
  ix: 0,
  previousLsn: 0,
  previousIx: 0,
  timeMs: 0,
  ridNumber: 0,
  ttl: undefined,
  epk: noDigests,
  partitionKey: noDigests,
  id: noDigests,
  uniqueDigests: noDigests,
  body: undefined,
  bodyLength: 0,
  tail: undefined,
};

/** The last unit would be kept, with its documents and its database, until somebody writes again. */
function letGoOfDraft(): void {
  staging.key = noKey;
  staging.owner = undefined;
  staging.previous = undefined;
  draft.epk = noDigests;
  draft.partitionKey = noDigests;
  draft.id = noDigests;
  draft.body = undefined;
  draft.tail = undefined;
}

/** Not by its name: the compiler takes any name for possible. */
function operationOf(mutation: Mutation): OperationNumber {
  if (mutation.operation === 'replace') return operation.replace;
  return mutation.operation === 'create' ? operation.create : operation.delete;
}

function previousOf(
  mutation: Mutation,
  found: Version | undefined,
  staged: readonly StagedRecord[],
): Version | undefined {
  const { previous } = mutation;
  if (previous === undefined) return undefined;
  if (previous.kind === 'unit') return staged[previous.mutation]?.version;
  const isFound = found !== undefined && found.lsn === previous.lsn && found.ix === previous.ix;
  assert(isFound, 'the version decided upon is still the latest');
  return found;
}

/** What the unit would store: a patch of a few bytes may write a document of two million. */
function mutationBytes(mutations: readonly Mutation[]): number {
  let bytes = 0;
  for (const { document } of mutations) bytes += document?.openLength ?? 0;
  return bytes;
}

function unitTooLarge(): DatabaseError {
  const message = `The documents of one transaction may have at most ${queuedBytesMax} bytes together.`;
  return new DatabaseError('batch-too-large', message);
}

function unitBytes(unit: Unit): number {
  if (unit.input !== undefined) return unit.input.bytes + unit.input.commands * recordOverheadBytes;
  let bytes = 0;
  for (const command of unit.commands) {
    bytes += recordOverheadBytes + ('document' in command ? command.document.openLength : 0);
  }
  return bytes;
}
