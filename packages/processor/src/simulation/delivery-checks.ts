// What is wrong with one delivery: its order (I3), its owner (I4), and whether it comes again although it must not (I8).

import { keyRangeContains } from '@tidemark/model';
import type { FeedMode } from '../feed/feed-source.ts';
import type { Actor, DeliveryPlace } from './delivery.ts';
import { describe, nameOf } from './delivery.ts';
import type { LeaseHistories, Tenure } from './lease-histories.ts';
import type { Change, ModelContainer } from './model-container.ts';
import type { Report } from './violation.ts';

export interface DeliveryChecksOptions {
  readonly container: ModelContainer;
  readonly histories: LeaseHistories;
  readonly mode: FeedMode;
  readonly nowMs: () => number;
  readonly expirationMs: number;
  /** 0: hosts rob at once. Else a robber waits until the one before it must have stopped. */
  readonly handoffMs: number;
  /** Whether the group owes it to nobody, since it was committed before the group began. */
  readonly isOlderThanGroup: (change: Change) => boolean;
  readonly deliveriesOf: (change: Change) => number;
  readonly report: Report;
}

interface FirstDelivery {
  readonly sequence: number;
  readonly by: string;
  /** Whether two were at work on the key then. */
  readonly isShared: boolean;
  /** Who had taken the lease last. Of a lease that was copied nobody knows. */
  readonly epoch: number;
}

export class DeliveryChecks {
  readonly #options: DeliveryChecksOptions;
  /** By partition key: the last change that was delivered for the first time. */
  readonly #highestFirst = new Map<string, FirstDelivery>();
  /** By place and partition key: changes whose handler has not returned for good. */
  readonly #unfinished = new Map<string, Map<string, Set<number>>>();

  constructor(options: DeliveryChecksOptions) {
    this.#options = options;
  }

  check(actor: Actor, place: DeliveryPlace, changes: readonly Change[]): void {
    this.#checkOverlap(actor, place);
    this.#checkOrder(actor, place, changes);
    this.#checkDuplicates(actor, place, changes);
    const tenure = this.#options.histories.tenureOf(actor, place);
    if (tenure !== undefined) tenure.isOpen = true;
  }

  finish(actor: Actor, place: DeliveryPlace, changes: readonly Change[]): void {
    const keys = this.#unfinished.get(nameOf(actor, place));
    for (const change of changes) keys?.get(change.partitionKey)?.delete(change.sequence);
  }

  /** Skipped or parked, whoever did it. */
  resolve(change: Change): void {
    for (const keys of this.#unfinished.values()) keys.get(change.partitionKey)?.delete(change.sequence);
  }

  close(actor: Actor, place: DeliveryPlace): void {
    this.#unfinished.delete(nameOf(actor, place));
  }

  /** I4 for handlers: nobody begins a call when a later owner, who did not rob it, has begun one. */
  #checkOverlap(actor: Actor, place: DeliveryPlace): void {
    const { histories, report } = this.#options;
    const history = histories.of(actor, place);
    if (histories.isTampered || history === undefined) return;
    const later = histories.laterThan(history, place.epoch);
    // Who was robbed, by a host that steals at once or by a twin, goes on for a moment, also when the thief hands it on.
    if (later[0] === undefined || this.#mayBothDeliver(actor, later[0])) return;
    const begun = later.find((tenure) => tenure.isOpen);
    if (begun !== undefined)
      report('I4', `${nameOf(actor, place)} got changes after epoch ${begun.epoch} (${begun.taking}) had begun`);
  }

  #checkOrder(actor: Actor, place: DeliveryPlace, changes: readonly Change[]): void {
    const { report } = this.#options;
    const name = nameOf(actor, place);
    const keys = this.#unfinished.get(name) ?? new Map<string, Set<number>>();
    this.#unfinished.set(name, keys);
    const inBatch = new Set(changes.map((change) => change.sequence));
    const lastOfKey = new Map<string, number>();
    for (const change of changes) {
      const { partitionKey, sequence } = change;
      if (!keyRangeContains(place.keys, change.position))
        report('I3', `${name} got ${describe(change)}, whose key is not in its range`);
      this.#checkFirst(actor, place, change);
      if (sequence < (lastOfKey.get(partitionKey) ?? -1))
        report('I3', `${name} got a batch that is not in order at ${describe(change)}`);
      lastOfKey.set(partitionKey, sequence);
      const unfinished = keys.get(partitionKey) ?? new Set<number>();
      for (const other of unfinished) {
        if (other < sequence && !inBatch.has(other) && this.#isShown(other))
          report('I3', `${name} got ${describe(change)} while change ${other} of the same key was not finished`);
      }
      unfinished.add(sequence);
      keys.set(partitionKey, unfinished);
    }
  }

  #checkFirst(actor: Actor, place: DeliveryPlace, change: Change): void {
    const { deliveriesOf, histories, isOlderThanGroup, report } = this.#options;
    const { partitionKey, sequence } = change;
    if (deliveriesOf(change) > 0) return;
    const by = nameOf(actor, place);
    const isShared = this.#isShared(actor, place);
    const highest = this.#highestFirst.get(partitionKey);
    if (highest === undefined || sequence >= highest.sequence) {
      const epoch = histories.isDoubled(place.keys)
        ? Number.POSITIVE_INFINITY
        : (histories.of(actor, place)?.epoch ?? 0);
      this.#highestFirst.set(partitionKey, { sequence, by, isShared, epoch });
      return;
    }
    if (!this.#isShown(sequence) && this.#isOfBoth(highest, by, place.epoch, isShared)) return;
    // Nobody waits for it: it comes, late, where everything is read again.
    if (isOlderThanGroup(change) && histories.isReadAnew(change.position)) return;
    report('I3', `${by} got ${describe(change)} for the first time after a later change of its key`);
  }

  /**
   * Where two owners are at work on the same keys, one of them, the older or the newer, may have read a version that the other, who read
   * later, was not shown any more: then it comes after its successor. Only what is superseded, only of two, and the newer one must have had
   * the lease already when the other one delivered.
   */
  #isOfBoth(highest: FirstDelivery, by: string, epoch: number, isShared: boolean): boolean {
    return highest.by !== by && (isShared || (highest.isShared && epoch <= highest.epoch));
  }

  /** It was robbed by a host that steals at once, or by a twin; or somebody has copied the lease. */
  #isShared(actor: Actor, place: DeliveryPlace): boolean {
    const { histories } = this.#options;
    const history = histories.of(actor, place);
    const next = history === undefined ? undefined : histories.laterThan(history, place.epoch)[0];
    return (next !== undefined && this.#mayBothDeliver(actor, next)) || histories.isDoubled(place.keys);
  }

  /**
   * Whether this owner may not know yet that it has lost the lease, and the one who has it now does not wait for that: a host that robs at
   * once, a twin of the same name, who made again a lease that a person deleted. Never for longer than a lease holds.
   */
  #mayBothDeliver(former: Actor, { taking, instance, beganMs }: Tenure): boolean {
    const { nowMs, expirationMs, handoffMs } = this.#options;
    if (nowMs() - beganMs >= expirationMs) return false;
    if (taking === 'stolen') return handoffMs === 0 || instance === former.instance;
    return taking === 'remade';
  }

  /** A range that is read anew does not show what was superseded meanwhile. */
  #isShown(sequence: number): boolean {
    return this.#options.mode === 'all-versions' || this.#options.container.changes[sequence]?.isSuperseded === false;
  }

  /** I8: nothing that was stored comes again, and after a clean stop or a hand over nothing that was acknowledged. */
  #checkDuplicates(actor: Actor, place: DeliveryPlace, changes: readonly Change[]): void {
    const { histories, report } = this.#options;
    const history = histories.of(actor, place);
    const current = history?.tenures.get(place.epoch);
    if (history === undefined || current === undefined || histories.isTampered) return;
    const before = history.tenures.get(place.epoch - 1);
    const isClean = before?.isCleanlyClosed === true && (current.taking === 'handed-over' || current.taking === 'free');
    for (const change of changes) {
      const what = `lease ${place.leaseToken} epoch ${place.epoch} (${current.taking}) got ${describe(change)} again`;
      if (change.lsn <= current.startLsn) report('I8', `${what}, which was stored as done`);
      else if (isClean && before.acknowledged.has(change.sequence) && !histories.isDoubled(place.keys))
        report('I8', what);
    }
  }
}
