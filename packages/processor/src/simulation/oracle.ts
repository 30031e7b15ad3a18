// The oracle knows every committed change and sees every delivery and every write of a lease, and says when an invariant of the processor
// is broken (I1-I10; those of whole runs are in `world-checks.ts`). It reads documents and calls with its own eyes and shares nothing with the code it judges.

import type { KeyRange } from '@tidemark/model';
import { keyRangeContains, keyRangesIntersect, keyRangesTile } from '@tidemark/model';
import type { FeedMode } from '../feed/feed-source.ts';
import type { CloseReason } from '../observer.ts';
import type { StoredDocument } from '../store/document-store.ts';
import type { LeaseFacts } from './lease-facts.ts';
import { leaseFactsOf } from './lease-facts.ts';
import type { Change, ModelContainer } from './model-container.ts';
import type { JournalEntry, ModelDocuments } from './model-documents.ts';

export type InvariantId = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10' | 'I11' | 'I12' | 'I13';

export interface Violation {
  readonly invariant: InvariantId;
  readonly timeMs: number;
  readonly message: string;
}

/** A process as the oracle sees it. `id` is never used twice, `instance` may be. */
export interface Actor {
  readonly id: string;
  readonly instance: string;
}

export interface DeliveryPlace {
  readonly leaseToken: string;
  readonly keys: KeyRange;
  readonly epoch: number;
  readonly signal: AbortSignal;
}

export interface DeliveryRecord {
  readonly actor: Actor;
  readonly place: DeliveryPlace;
  readonly changes: readonly Change[];
  readonly beganMs: number;
  readonly attempt: number;
  outcome: 'running' | 'acknowledged' | 'failed';
  endedMs: number | undefined;
}

/** How an epoch of a lease began, by the document that was replaced and by true time. */
type Taking = 'created' | 'handed-over' | 'free' | 'expired' | 'stolen';

interface Tenure {
  readonly epoch: number;
  readonly taking: Taking;
  /** Processes whose swaps were accepted in this epoch. */
  readonly writers: Set<string>;
  readonly acknowledged: Set<number>;
  isOpen: boolean;
  closings: number;
  isCleanlyClosed: boolean;
}

interface LeaseHistory {
  lsn: number;
  epoch: number;
  lastWriteMs: number;
  lastWriter: string | undefined;
  readonly tenures: Map<number, Tenure>;
}

export interface OracleOptions {
  readonly container: ModelContainer;
  readonly leases: ModelDocuments;
  readonly mode: FeedMode;
  readonly nowMs: () => number;
  readonly expirationMs: number;
  /** Whether another process has its name by now: then it ends, and calls everything lost. */
  readonly hasTwin: (actor: Actor) => boolean;
  /** Whether nothing goes wrong between it and the stores: what is done above the position is written down as well as it goes, no better. */
  readonly isCalm: (actor: Actor) => boolean;
}

export class Oracle {
  readonly #container: ModelContainer;
  readonly #leases: ModelDocuments;
  readonly #mode: FeedMode;
  readonly #nowMs: () => number;
  readonly #expirationMs: number;
  readonly #hasTwin: (actor: Actor) => boolean;
  readonly #isCalm: (actor: Actor) => boolean;
  readonly violations: Violation[] = [];
  readonly deliveries: DeliveryRecord[] = [];
  /** Changes from here on must be delivered; those before the group began to read from now need not. */
  requiredFrom = 0;
  /** Whether the group has begun: from then on its leases cover the key space. */
  isBootstrapped = false;
  /** People or tests have changed leases by hand: what follows from it is no violation. */
  isTampered = false;
  readonly #resolved: boolean[] = [];
  readonly #deliveredCount: number[] = [];
  readonly #changeOf = new Map<string, Change>();
  #changesKnown = 0;
  readonly #highestFirst = new Map<string, number>();
  readonly #unfinished = new Map<string, Map<string, Set<number>>>();
  readonly #histories = new Map<string, LeaseHistory>();
  /** Tokens that had two documents at once: which of them counts is the hosts' to say, and positions and epochs of both get mixed. */
  readonly #doubled = new Set<string>();
  readonly #troubled = new Set<string>();
  #bearHolesUntilMs = Number.NEGATIVE_INFINITY;
  readonly #opens = new Map<string, { isOpen: boolean; opened: number; closed: number }>();

  constructor(options: OracleOptions) {
    this.#container = options.container;
    this.#leases = options.leases;
    this.#mode = options.mode;
    this.#nowMs = options.nowMs;
    this.#expirationMs = options.expirationMs;
    this.#hasTwin = options.hasTwin;
    this.#isCalm = options.isCalm;
  }

  report(invariant: InvariantId, message: string): void {
    this.violations.push({ invariant, timeMs: this.#nowMs(), message });
  }

  // ---- Deliveries ----

  changeOf(id: string, lsn: number): Change | undefined {
    const { changes } = this.#container;
    for (; this.#changesKnown < changes.length; this.#changesKnown += 1) {
      const change = changes[this.#changesKnown] as Change; // In range.
      this.#changeOf.set(`${change.id}@${change.lsn}`, change);
    }
    return this.#changeOf.get(`${id}@${lsn}`);
  }

  delivered(actor: Actor, place: DeliveryPlace, changes: readonly Change[], attempt: number): DeliveryRecord {
    const record: DeliveryRecord = {
      actor,
      place,
      changes,
      beganMs: this.#nowMs(),
      attempt,
      outcome: 'running',
      endedMs: undefined,
    };
    this.deliveries.push(record);
    this.#checkOpen(actor, place);
    this.#checkOverlap(actor, place);
    this.#checkOrder(actor, place, changes);
    this.#checkDuplicates(place, changes);
    for (const change of changes) {
      this.#deliveredCount[change.sequence] = (this.#deliveredCount[change.sequence] ?? 0) + 1;
    }
    return record;
  }

  acknowledged(record: DeliveryRecord): void {
    record.outcome = 'acknowledged';
    record.endedMs = this.#nowMs();
    const tenure = this.#histories.get(record.place.leaseToken)?.tenures.get(record.place.epoch);
    // A handler that did not obey may say so when nobody listens any more.
    const isHeard = this.#opens.get(nameOf(record.actor, record.place))?.isOpen === true;
    for (const change of record.changes) {
      this.#resolved[change.sequence] = true;
      if (isHeard) tenure?.acknowledged.add(change.sequence);
    }
    this.#finish(record);
  }

  /** With manual checkpoints the next change of a key may come when the handler has returned. */
  returned(record: DeliveryRecord): void {
    if (record.outcome === 'running') record.outcome = 'failed';
    this.#finish(record);
  }

  failed(record: DeliveryRecord): void {
    if (record.outcome === 'running') record.outcome = 'failed';
  }

  /** Skipped by policy or written to the dead letters. */
  resolved(change: Change): void {
    this.#resolved[change.sequence] = true;
    for (const keys of this.#unfinished.values()) keys.get(change.partitionKey)?.delete(change.sequence);
  }

  isResolved(change: Change): boolean {
    return this.#resolved[change.sequence] === true;
  }

  deliveriesOf(change: Change): number {
    return this.#deliveredCount[change.sequence] ?? 0;
  }

  /** Whether the feed still owes this change to the group. */
  isOwed(change: Change): boolean {
    if (change.sequence < this.requiredFrom || this.isResolved(change)) return false;
    return this.#mode === 'all-versions' || !change.isSuperseded;
  }

  owed(): readonly Change[] {
    return this.#container.changes.filter((change) => this.isOwed(change));
  }

  opened(actor: Actor, place: DeliveryPlace): void {
    const name = nameOf(actor, place);
    const open = this.#opens.get(name) ?? { isOpen: false, opened: 0, closed: 0 };
    if (open.isOpen) this.report('I10', `${name} was opened twice`);
    open.isOpen = true;
    open.opened += 1;
    this.#opens.set(name, open);
  }

  closed(actor: Actor, place: DeliveryPlace, reason: CloseReason): void {
    const name = nameOf(actor, place);
    const open = this.#opens.get(name);
    if (open === undefined || !open.isOpen) this.report('I10', `${name} was closed (${reason}) and was not open`);
    else {
      open.isOpen = false;
      open.closed += 1;
    }
    if (reason === 'lease-lost') this.#checkLost(name, actor, place);
    const tenure = this.#histories.get(place.leaseToken)?.tenures.get(place.epoch);
    if (tenure !== undefined && (reason === 'shutdown' || reason === 'handed-over'))
      tenure.isCleanlyClosed =
        !place.signal.aborted && this.#isCalm(actor) && !this.#troubled.has(`${actor.id} ${place.leaseToken}`);
    this.#unfinished.delete(name);
  }

  /** A lease is lost to somebody, not to a write of its own (S13, S14). */
  #checkLost(name: string, actor: Actor, place: DeliveryPlace): void {
    const lease = this.liveLeases().find(({ token }) => token === place.leaseToken);
    const history = this.#histories.get(place.leaseToken);
    const isStillIts =
      lease?.owner === actor.instance &&
      lease.epoch === place.epoch &&
      history?.lastWriter === actor.id &&
      !this.#hasTwin(actor);
    if (isStillIts && !this.#doubled.has(place.leaseToken))
      this.report('I9', `${name} was given up as lost although nobody has taken it`);
  }

  /** The process has ended cleanly: everything that it opened is closed. */
  ended(actor: Actor): void {
    for (const [name, open] of this.#opens) {
      if (name.startsWith(`${actor.id} `) && open.isOpen) this.report('I10', `${name} was never closed`);
    }
  }

  // ---- Lease writes ----

  leaseWritten(entry: JournalEntry): void {
    const before = this.#factsOf(entry.before);
    const after = this.#factsOf(entry.after);
    const facts = after ?? before;
    if (facts === undefined) return;
    if (after === undefined) {
      this.#histories.delete(facts.id);
      this.#histories.delete(facts.token);
    } else this.#leaseStored(before, after, entry.writer);
    this.#checkTiling();
  }

  #leaseStored(before: LeaseFacts | undefined, after: LeaseFacts, writer: string | undefined): void {
    const nowMs = this.#nowMs();
    let history = before === undefined ? undefined : this.#histories.get(after.token);
    if (history === undefined) {
      history = { lsn: -1, epoch: -1, lastWriteMs: nowMs, lastWriter: undefined, tenures: new Map() };
      this.#histories.set(after.token, history);
    }
    if (!this.isTampered && !this.#doubled.has(after.token)) {
      this.#checkPosition(history, after);
      this.#checkEpoch(history, before, after, writer);
    }
    history.lsn = after.lsn ?? history.lsn;
    history.lastWriteMs = nowMs;
    history.lastWriter = writer;
  }

  /** I2 and I5. */
  #checkPosition(history: LeaseHistory, after: LeaseFacts): void {
    if (after.position === undefined) {
      if (history.lsn >= 0) this.report('I5', `lease ${after.token} lost its position "${history.lsn}"`);
      return;
    }
    if (after.lsn === undefined) {
      this.report('I2', `lease ${after.token} has the position ${after.position}, which no feed gave`);
      return;
    }
    if (after.lsn < history.lsn)
      this.report(
        'I5',
        `lease ${after.token} went back from "${history.lsn}" to ${after.position} (owner ${after.owner})`,
      );
    if (after.lsn === history.lsn) return;
    const { keys } = after;
    const ranges =
      keys === undefined
        ? this.#container.ranges.filter((range) => range.id === after.token)
        : this.#container.rangesOf(keys);
    for (const range of ranges) {
      for (let i = range.log.length - 1; i >= 0; i -= 1) {
        const change = range.log[i] as Change; // In range.
        if (change.lsn > after.lsn) continue;
        if (change.lsn <= history.lsn) break;
        if (keys !== undefined && !keyRangeContains(keys, change.position)) continue;
        if (this.isOwed(change))
          this.report(
            'I2',
            `lease ${after.token} was stored at ${after.position} by ${after.owner} before ${describe(change)} was acknowledged`,
          );
      }
    }
  }

  /** I4. */
  #checkEpoch(
    history: LeaseHistory,
    before: LeaseFacts | undefined,
    after: LeaseFacts,
    writer: string | undefined,
  ): void {
    // A lease whose mark is not the owner's was written by a host of another kind, which knows no epochs.
    const isReleased = after.owner === undefined && (before?.owner === undefined || before.owner === after.instance);
    const isMarked = after.epoch !== undefined && (isReleased || after.owner === after.instance);
    if (!isMarked || after.epoch === undefined) return;
    if (after.epoch < history.epoch)
      this.report('I4', `lease ${after.token} fell from epoch ${history.epoch} to ${after.epoch}`);
    const isNew = after.epoch !== history.epoch;
    if (!isNew && before?.nonce !== after.nonce && before?.epoch === after.epoch)
      this.report(
        'I4',
        `lease ${after.token} has two owners in epoch ${after.epoch}: ${before?.instance} and ${after.instance}`,
      );
    if (isNew) {
      history.epoch = after.epoch;
      history.tenures.set(after.epoch, {
        epoch: after.epoch,
        taking: this.#takingOf(history, before, after, writer),
        writers: new Set(),
        acknowledged: new Set(),
        isOpen: false,
        closings: 0,
        isCleanlyClosed: false,
      });
    }
    const tenure = history.tenures.get(after.epoch);
    // The first write of an epoch may come from the one who handed it over.
    if (writer === undefined || tenure === undefined || (isNew && tenure.taking === 'handed-over')) return;
    tenure.writers.add(writer);
    if (tenure.writers.size > 1)
      this.report(
        'I4',
        `lease ${after.token}: writes of ${[...tenure.writers].join(' and ')} were accepted in epoch ${after.epoch}`,
      );
  }

  /** A host says that it took a lease because it had expired. Clocks of machines do not count (D7, S8). */
  takenAsExpired(token: string, epoch: number): void {
    const tenure = this.#histories.get(token)?.tenures.get(epoch);
    if (tenure?.taking === 'stolen' && !this.isTampered && !this.#doubled.has(token))
      this.report('I4', `lease ${token} was taken as expired in epoch ${epoch} although its owner had just written it`);
  }

  #takingOf(
    history: LeaseHistory,
    before: LeaseFacts | undefined,
    after: LeaseFacts,
    writer: string | undefined,
  ): Taking {
    if (before === undefined) return 'created';
    if (before.owner === undefined) return 'free';
    if (writer?.startsWith(`${before.owner}#`) === true && before.owner !== after.owner) return 'handed-over';
    // Clocks may run up to a tenth too fast.
    return this.#nowMs() - history.lastWriteMs >= this.#expirationMs * 0.9 ? 'expired' : 'stolen';
  }

  /** I6, while it runs: from the beginning of the group on no key is without a lease. */
  #checkTiling(): void {
    if (!this.isBootstrapped || this.isTampered || this.#nowMs() < this.#bearHolesUntilMs) return;
    const hole = holeIn(this.liveLeases());
    if (hole !== undefined) this.report('I6', `no lease covers the keys from "${hole}"`);
  }

  /** The dead letters of a range could not be reached: its last page may be left half done. */
  troubled(actor: Actor, token: string): void {
    this.#troubled.add(`${actor.id} ${token}`);
  }

  /** A lease was copied by hand. */
  doubled(token: string): void {
    this.#doubled.add(token);
  }

  /** A lease was deleted by hand: for a while its keys have none. */
  bearHoles(durationMs: number): void {
    this.#bearHolesUntilMs = this.#nowMs() + durationMs;
  }

  liveLeases(): readonly LeaseFacts[] {
    return this.#leases
      .list('')
      .map((document) => this.#factsOf(document))
      .filter((lease): lease is LeaseFacts => lease !== undefined && !lease.isTombstone);
  }

  /** Old documents name only their range. */
  #factsOf(document: StoredDocument | undefined): LeaseFacts | undefined {
    const facts = leaseFactsOf(document);
    return facts === undefined || facts.keys !== undefined
      ? facts
      : { ...facts, keys: this.#container.keysOfRange(facts.token) };
  }

  /** At rest: exactly one lease for every key. */
  isTiled(): boolean {
    return keyRangesTile(this.liveLeases().flatMap((lease) => (lease.keys === undefined ? [] : [lease.keys])));
  }

  // ---- Checks of one delivery ----

  #checkOpen(actor: Actor, place: DeliveryPlace): void {
    const name = nameOf(actor, place);
    if (this.#opens.get(name)?.isOpen !== true) this.report('I10', `${name} got changes and was not open`);
  }

  /** I4 for handlers: nobody begins a call when a later owner, who did not rob it, has begun one. */
  #checkOverlap(actor: Actor, place: DeliveryPlace): void {
    if (this.isTampered) return;
    const history = this.#histories.get(place.leaseToken);
    if (history === undefined || history.epoch <= place.epoch || this.#doubled.has(place.leaseToken)) return;
    const later = [...history.tenures.values()].filter(({ epoch }) => epoch > place.epoch);
    const next = later.find(({ epoch }) => epoch === Math.min(...later.map((tenure) => tenure.epoch)));
    // Who was robbed, by a host that steals at once or by a twin, goes on for a moment, also when the thief hands it on.
    if (next === undefined || next.taking === 'stolen' || next.taking === 'created') return;
    const begun = later.find((tenure) => tenure.isOpen);
    if (begun !== undefined)
      this.report('I4', `${nameOf(actor, place)} got changes after epoch ${begun.epoch} (${next.taking}) had begun`);
  }

  #checkOrder(actor: Actor, place: DeliveryPlace, changes: readonly Change[]): void {
    const name = nameOf(actor, place);
    const history = this.#histories.get(place.leaseToken);
    const tenure = history?.tenures.get(place.epoch);
    if (tenure !== undefined) tenure.isOpen = true;
    let keys = this.#unfinished.get(name);
    if (keys === undefined) {
      keys = new Map();
      this.#unfinished.set(name, keys);
    }
    // Hosts that steal at once leave the robbed one at work for a moment.
    // Of a lease that is there twice both copies may be read for a while, and so may what comes of them.
    const isRobbed = (history?.epoch ?? 0) > place.epoch || this.#doubled.size > 0;
    const inBatch = new Set(changes.map((change) => change.sequence));
    const lastOfKey = new Map<string, number>();
    for (const change of changes) {
      const { partitionKey, sequence } = change;
      if (!keyRangeContains(place.keys, change.position))
        this.report('I3', `${name} got ${describe(change)}, whose key is not in its range`);
      if (this.deliveriesOf(change) === 0 && !isRobbed) {
        const highest = this.#highestFirst.get(partitionKey) ?? -1;
        if (sequence < highest)
          this.report('I3', `${name} got ${describe(change)} for the first time after a later change of its key`);
        this.#highestFirst.set(partitionKey, Math.max(highest, sequence));
      }
      if (sequence < (lastOfKey.get(partitionKey) ?? -1))
        this.report('I3', `${name} got a batch that is not in order at ${describe(change)}`);
      lastOfKey.set(partitionKey, sequence);
      const unfinished = keys.get(partitionKey) ?? new Set<number>();
      for (const other of unfinished) {
        if (other < sequence && !inBatch.has(other) && this.#isShown(other))
          this.report('I3', `${name} got ${describe(change)} while change ${other} of the same key was not finished`);
      }
      unfinished.add(sequence);
      keys.set(partitionKey, unfinished);
    }
  }

  /** A range that is read anew does not show what was superseded meanwhile. */
  #isShown(sequence: number): boolean {
    return this.#mode === 'all-versions' || this.#container.changes[sequence]?.isSuperseded === false;
  }

  /** I8: what was acknowledged before a clean stop or a hand over does not come again. */
  #checkDuplicates(place: DeliveryPlace, changes: readonly Change[]): void {
    const tenures = this.#histories.get(place.leaseToken)?.tenures;
    const current = tenures?.get(place.epoch);
    const before = tenures?.get(place.epoch - 1);
    if (current === undefined || before === undefined || !before.isCleanlyClosed) return;
    if (this.#doubled.has(place.leaseToken)) return;
    if (current.taking !== 'handed-over' && current.taking !== 'free') return;
    for (const change of changes) {
      if (before.acknowledged.has(change.sequence))
        this.report(
          'I8',
          `lease ${place.leaseToken} epoch ${place.epoch} (${current.taking}) got ${describe(change)} again`,
        );
    }
  }

  #finish(record: DeliveryRecord): void {
    const keys = this.#unfinished.get(nameOf(record.actor, record.place));
    if (keys === undefined) return;
    for (const change of record.changes) keys.get(change.partitionKey)?.delete(change.sequence);
  }
}

export function describe(change: Change): string {
  return `change ${change.sequence} (${change.type} ${change.id}, key ${change.partitionKey}, lsn ${change.lsn})`;
}

/** First key that no lease covers. */
function holeIn(leases: readonly LeaseFacts[]): string | undefined {
  const ranges = leases.flatMap((lease) => (lease.keys === undefined ? [] : [lease.keys]));
  ranges.sort((a, b) => (a.min < b.min ? -1 : 1));
  let end = '';
  for (const range of ranges) {
    if (range.min > end) return end;
    if (range.max > end) end = range.max;
  }
  return end === 'FF' ? undefined : end;
}

/** Leases that share keys, in pairs. */
export function overlapsIn(leases: readonly LeaseFacts[]): readonly (readonly [LeaseFacts, LeaseFacts])[] {
  return leases.flatMap((a, i) =>
    leases
      .slice(i + 1)
      .filter((b) => a.keys !== undefined && b.keys !== undefined && keyRangesIntersect(a.keys, b.keys))
      .map((b) => [a, b] as const),
  );
}

function nameOf(actor: Actor, place: DeliveryPlace): string {
  return `${actor.id} ${place.leaseToken} epoch ${place.epoch}`;
}
