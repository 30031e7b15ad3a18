// The oracle knows every committed change and sees every delivery and every write of a lease, and says when an invariant of the processor
// is broken (I1-I10; those of whole runs are in `world-checks.ts`, I13 in `visibility.ts`). It reads documents and calls with its own eyes and shares nothing with
// the code it judges.

import type { FeedMode } from '../feed/feed-source.ts';
import type { CloseReason } from '../observer.ts';
import type { Actor, DeliveryPlace, DeliveryRecord } from './delivery.ts';
import { nameOf } from './delivery.ts';
import { DeliveryChecks } from './delivery-checks.ts';
import type { LeaseFacts } from './lease-facts.ts';
import { LeaseHistories } from './lease-histories.ts';
import type { Change, ModelContainer } from './model-container.ts';
import type { JournalEntry, ModelDocuments } from './model-documents.ts';
import type { InvariantId, Violation } from './violation.ts';

export interface OracleOptions {
  readonly container: ModelContainer;
  readonly leases: ModelDocuments;
  readonly mode: FeedMode;
  readonly nowMs: () => number;
  readonly expirationMs: number;
  /** Of the hosts of the group: 0 where they rob at once. */
  readonly handoffMs: number;
  /** Whether the policy goes back where the feed refuses a position. */
  readonly mayRewind: boolean;
  /** Whether another process has its name by now: then it ends, and calls everything lost. */
  readonly hasTwin: (actor: Actor) => boolean;
  readonly onDelivery: (record: DeliveryRecord) => void;
  /** A change was acknowledged, skipped or parked. */
  readonly onFinished: (change: Change) => void;
}

export class Oracle {
  readonly #options: OracleOptions;
  readonly #histories: LeaseHistories;
  readonly #checks: DeliveryChecks;
  readonly violations: Violation[] = [];
  readonly deliveries: DeliveryRecord[] = [];
  /** Changes from here on must be delivered; those before the group began to read from now need not. */
  requiredFrom = 0;
  readonly #resolved: boolean[] = [];
  readonly #deliveredCount: number[] = [];
  readonly #changeOf = new Map<string, Change>();
  #changesKnown = 0;
  readonly #open = new Set<string>();

  constructor(options: OracleOptions) {
    this.#options = options;
    const { container, leases, nowMs, expirationMs, handoffMs, mayRewind, mode } = options;
    const report = (invariant: InvariantId, message: string): void => this.report(invariant, message);
    const isOwed = (change: Change): boolean => this.isOwed(change);
    const deliveriesOf = (change: Change): number => this.deliveriesOf(change);
    this.#histories = new LeaseHistories({ container, leases, nowMs, expirationMs, mayRewind, isOwed, report });
    const isOlderThanGroup = ({ sequence }: Change): boolean => sequence < this.requiredFrom;
    this.#checks = new DeliveryChecks({
      container,
      mode,
      nowMs,
      expirationMs,
      handoffMs,
      histories: this.#histories,
      isOlderThanGroup,
      deliveriesOf,
      report,
    });
  }

  report(invariant: InvariantId, message: string): void {
    this.violations.push({ invariant, timeMs: this.#options.nowMs(), message });
  }

  // ---- Deliveries ----

  changeOf(id: string, lsn: number): Change | undefined {
    const { changes } = this.#options.container;
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
      beganMs: this.#options.nowMs(),
      attempt,
      outcome: 'running',
      endedMs: undefined,
    };
    this.deliveries.push(record);
    this.#options.onDelivery(record);
    const name = nameOf(actor, place);
    if (!this.#open.has(name)) this.report('I10', `${name} got changes and was not open`);
    this.#checks.check(actor, place, changes);
    for (const change of changes) {
      this.#deliveredCount[change.sequence] = (this.#deliveredCount[change.sequence] ?? 0) + 1;
    }
    return record;
  }

  acknowledged(record: DeliveryRecord): void {
    const { actor, place, changes } = record;
    record.outcome = 'acknowledged';
    record.endedMs = this.#options.nowMs();
    const tenure = this.#histories.tenureOf(actor, place);
    // A handler that did not obey may say so when nobody listens any more.
    const isHeard = this.#open.has(nameOf(actor, place));
    for (const change of changes) {
      this.#resolved[change.sequence] = true;
      this.#options.onFinished(change);
      if (isHeard) tenure?.acknowledged.add(change.sequence);
    }
    this.#checks.finish(actor, place, changes);
  }

  /** With manual checkpoints the next change of a key may come when the handler has returned. */
  returned(record: DeliveryRecord): void {
    if (record.outcome === 'running') record.outcome = 'failed';
    this.#checks.finish(record.actor, record.place, record.changes);
  }

  failed(record: DeliveryRecord): void {
    if (record.outcome === 'running') record.outcome = 'failed';
  }

  /** Skipped by policy or written to the dead letters. */
  resolved(change: Change): void {
    this.#resolved[change.sequence] = true;
    this.#options.onFinished(change);
    this.#checks.resolve(change);
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
    return this.#options.mode === 'all-versions' || !change.isSuperseded;
  }

  owed(): readonly Change[] {
    return this.#options.container.changes.filter((change) => this.isOwed(change));
  }

  // ---- Ranges of hosts ----

  opened(actor: Actor, place: DeliveryPlace): void {
    const name = nameOf(actor, place);
    if (this.#open.has(name)) this.report('I10', `${name} was opened twice`);
    this.#open.add(name);
  }

  closed(actor: Actor, place: DeliveryPlace, reason: CloseReason): void {
    const name = nameOf(actor, place);
    if (!this.#open.delete(name)) this.report('I10', `${name} was closed (${reason}) and was not open`);
    if (reason === 'lease-lost') this.#checkLost(name, actor, place);
    const tenure = this.#histories.tenureOf(actor, place);
    if (tenure !== undefined && (reason === 'shutdown' || reason === 'handed-over'))
      tenure.isCleanlyClosed = !place.signal.aborted;
    this.#checks.close(actor, place);
  }

  /** A lease is lost to somebody, not to a write of its own (S13, S14). */
  #checkLost(name: string, actor: Actor, place: DeliveryPlace): void {
    const history = this.#histories.of(actor, place);
    const isStillIts =
      history?.isRemoved === false &&
      history.owner === actor.instance &&
      history.epoch === place.epoch &&
      history.lastWriter === actor.id;
    // Of two copies one is given up; and who has a twin ends.
    if (isStillIts && !this.#options.hasTwin(actor) && !this.#histories.isDoubled(place.keys))
      this.report('I9', `${name} was given up as lost although nobody has taken it`);
  }

  /** The process has ended cleanly: everything that it opened is closed. */
  ended(actor: Actor): void {
    for (const name of this.#open) if (name.startsWith(`${actor.id} `)) this.report('I10', `${name} was never closed`);
  }

  // ---- Leases ----

  get isBootstrapped(): boolean {
    return this.#histories.isBootstrapped;
  }

  set isBootstrapped(value: boolean) {
    this.#histories.isBootstrapped = value;
  }

  set isTampered(value: boolean) {
    this.#histories.isTampered = value;
  }

  leaseWritten(entry: JournalEntry): void {
    this.#histories.written(entry);
  }

  takenAsExpired(actor: Actor, token: string, epoch: number): void {
    this.#histories.takenAsExpired(actor, token, epoch);
  }

  refused(actor: Actor, token: string): void {
    this.#histories.refused(actor, token);
  }

  doubled(token: string): void {
    this.#histories.doubled(token);
  }

  bearHoles(durationMs: number): void {
    this.#histories.bearHoles(durationMs);
  }

  /** When the present owner of a lease began. */
  ownedSinceMs(token: string): number {
    return this.#histories.ownedSinceMs(token);
  }

  liveLeases(): readonly LeaseFacts[] {
    return this.#histories.live();
  }

  isTiled(): boolean {
    return this.#histories.isTiled();
  }
}
