// What has become of every lease document, by its writes: positions and epochs (I2, I4, I5), and whether leases cover the key space (I6).
//
// Histories are of documents, not of ranges: where somebody has copied a lease, each copy has its own positions and epochs.

import type { KeyRange } from '@tidemark/model';
import { keyRangeContains, keyRangesIntersect, keyRangesTile } from '@tidemark/model';
import type { StoredDocument } from '../store/document-store.ts';
import type { Actor, DeliveryPlace } from './delivery.ts';
import { describe } from './delivery.ts';
import type { LeaseFacts } from './lease-facts.ts';
import { leaseFactsOf } from './lease-facts.ts';
import type { Change, ModelContainer } from './model-container.ts';
import type { JournalEntry, ModelDocuments } from './model-documents.ts';
import type { Report } from './violation.ts';

/**
 * How an epoch of a lease began, by the document that was replaced and by true time. `remade`: the host that finished a split made the lease
 * again that a person had deleted a moment before.
 */
export type Taking = 'created' | 'remade' | 'handed-over' | 'free' | 'expired' | 'stolen';

/** One epoch of a lease. */
export interface Tenure {
  readonly epoch: number;
  readonly instance: string | undefined;
  readonly taking: Taking;
  readonly beganMs: number;
  /** What was stored when it began, or when the policy began it anew. */
  startLsn: number;
  /** Processes whose swaps were accepted in this epoch. */
  readonly writers: Set<string>;
  readonly acknowledged: Set<number>;
  isOpen: boolean;
  isCleanlyClosed: boolean;
}

/** From the creation of a document to its removal, and after: hosts may still be at work on a lease that is gone. */
export interface LeaseHistory {
  readonly token: string;
  lsn: number;
  epoch: number;
  owner: string | undefined;
  lastWriteMs: number;
  lastWriter: string | undefined;
  isTombstone: boolean;
  isRemoved: boolean;
  /** When a person deleted it. */
  deletedMs: number | undefined;
  readonly tenures: Map<number, Tenure>;
  /** Of the document that was made in its place when it was gone. */
  next: LeaseHistory | undefined;
}

/** A lease that was there twice: until one of the two is gone, and those who worked on it have noticed. */
interface Doubling {
  readonly keys: KeyRange | undefined;
  untilMs: number;
}

export interface LeaseHistoriesOptions {
  readonly container: ModelContainer;
  readonly leases: ModelDocuments;
  readonly nowMs: () => number;
  readonly expirationMs: number;
  /** Whether the policy goes back where the feed refuses a position. */
  readonly mayRewind: boolean;
  readonly isOwed: (change: Change) => boolean;
  readonly report: Report;
}

export class LeaseHistories {
  readonly #options: LeaseHistoriesOptions;
  /** By id and partition key, the last document that was there. */
  readonly #last = new Map<string, LeaseHistory>();
  /** By token, of all documents that ever were: the newest first. */
  readonly #histories = new Map<string, LeaseHistory[]>();
  /** Keys that are read anew by policy, by whatever leases they have later. */
  readonly #readAnew: KeyRange[] = [];
  /** By token. */
  readonly #doublings = new Map<string, Doubling>();
  /** Processes with the tokens whose position they heard refused. */
  readonly #refused = new Set<string>();
  #bearHolesUntilMs = Number.NEGATIVE_INFINITY;
  /** Keys whose lease was deleted or buried by hand meanwhile. */
  readonly #borne: { readonly keys: KeyRange; readonly untilMs: number }[] = [];
  /** Whether the group has begun: from then on its leases cover the key space. */
  isBootstrapped = false;
  /** People or tests have changed leases by hand: what follows from it is no violation. */
  isTampered = false;

  constructor(options: LeaseHistoriesOptions) {
    this.#options = options;
  }

  /** The document that a place is about: of copies, and of those that were there one after the other, the one that its host wrote. */
  of(actor: Actor, place: Pick<DeliveryPlace, 'leaseToken' | 'epoch'>): LeaseHistory | undefined {
    const all = this.#histories.get(place.leaseToken) ?? [];
    if (all.length < 2) return all[0];
    const tenureOf = ({ tenures }: LeaseHistory): Tenure | undefined => tenures.get(place.epoch);
    // One that was buried counts last: the mark of whoever buried it is no tenure.
    const known = all
      .filter((history) => tenureOf(history) !== undefined)
      .sort((a, b) => Number(a.isTombstone) - Number(b.isTombstone));
    return (
      known.find((history) => tenureOf(history)?.writers.has(actor.id)) ??
      known.find((history) => tenureOf(history)?.instance === actor.instance) ??
      known.find(({ isRemoved }) => !isRemoved) ??
      known[0] ??
      all[0]
    );
  }

  tenureOf(actor: Actor, place: Pick<DeliveryPlace, 'leaseToken' | 'epoch'>): Tenure | undefined {
    return this.of(actor, place)?.tenures.get(place.epoch);
  }

  /** Those that began after this one, the next one first; also of a document that was made when this one was gone. */
  laterThan(history: LeaseHistory, epoch: number): readonly Tenure[] {
    const later = [...history.tenures.values()].filter((tenure) => tenure.epoch > epoch);
    later.sort((a, b) => a.epoch - b.epoch);
    for (let { next } = history; next !== undefined; next = next.next) later.push(...next.tenures.values());
    return later;
  }

  ownedSinceMs(token: string): number {
    const begins = (this.#histories.get(token) ?? [])
      .filter(({ isRemoved }) => !isRemoved)
      .map(({ tenures, epoch, lastWriteMs }) => tenures.get(epoch)?.beganMs ?? lastWriteMs);
    return Math.max(...begins);
  }

  /** Whether what lies there may come although it is older than the group: its position was refused, and all is read again. */
  isReadAnew(position: string): boolean {
    return this.#readAnew.some((keys) => keyRangeContains(keys, position));
  }

  /** Whether two documents for these keys are, or were a moment ago, read by two owners who both have a right to. */
  isDoubled(keys: KeyRange): boolean {
    const nowMs = this.#options.nowMs();
    return [...this.#doublings.values()].some(
      (doubling) =>
        nowMs < doubling.untilMs && (doubling.keys === undefined || keyRangesIntersect(doubling.keys, keys)),
    );
  }

  /** A lease is copied by hand. */
  doubled(token: string): void {
    const keys = this.live().find((lease) => lease.token === token)?.keys;
    this.#doublings.set(token, { keys, untilMs: Number.POSITIVE_INFINITY });
  }

  /** The feed does not know the position of a range. Only who hears this may go back. */
  refused(actor: Actor, token: string): void {
    this.#refused.add(`${actor.id} ${token}`);
  }

  /** Leases are deleted or buried by hand: from now on, and for so long, their keys may have none. Those of others must. */
  bearHoles(durationMs: number): void {
    this.#bearHolesUntilMs = this.#options.nowMs() + durationMs;
  }

  written(entry: JournalEntry): void {
    const before = this.#factsOf(entry.before);
    const after = this.#factsOf(entry.after);
    const facts = after ?? before;
    const document = entry.after ?? entry.before;
    if (facts === undefined || document === undefined) return;
    const name = `${document.id}\n${document.key}`;
    if (after === undefined) this.#removed(name, entry.writer);
    else this.#stored(name, before, after, entry.writer);
    const isGone = after === undefined || after.isTombstone;
    if (entry.writer === undefined && isGone && before?.keys !== undefined)
      this.#borne.push({ keys: before.keys, untilMs: this.#bearHolesUntilMs });
    this.#noticeSingle(facts.token);
    this.#checkTiling();
  }

  live(): readonly LeaseFacts[] {
    return this.#options.leases
      .list('')
      .map((document) => this.#factsOf(document))
      .filter((lease): lease is LeaseFacts => lease !== undefined && !lease.isTombstone);
  }

  /** At rest: exactly one lease for every key. */
  isTiled(): boolean {
    return keyRangesTile(this.live().flatMap((lease) => (lease.keys === undefined ? [] : [lease.keys])));
  }

  /** A host says that it took a lease because it had expired. Clocks of machines do not count (D7, S8). */
  takenAsExpired(actor: Actor, token: string, epoch: number): void {
    const tenure = this.tenureOf(actor, { leaseToken: token, epoch });
    if (tenure?.taking === 'stolen' && !this.isTampered)
      this.#options.report(
        'I4',
        `lease ${token} was taken as expired in epoch ${epoch} although its owner had just written it`,
      );
  }

  /** Who has worked on the other copy notices at its next write, or is at an end by then. */
  #noticeSingle(token: string): void {
    const doubling = this.#doublings.get(token);
    if (doubling === undefined || doubling.untilMs !== Number.POSITIVE_INFINITY) return;
    if (this.live().filter((lease) => lease.token === token).length > 1) return;
    doubling.untilMs = this.#options.nowMs() + this.#options.expirationMs;
  }

  #removed(name: string, writer: string | undefined): void {
    const history = this.#last.get(name);
    if (history === undefined) return;
    history.isRemoved = true;
    if (writer === undefined) history.deletedMs = this.#options.nowMs();
  }

  #stored(name: string, before: LeaseFacts | undefined, after: LeaseFacts, writer: string | undefined): void {
    const nowMs = this.#options.nowMs();
    const history = (before === undefined ? undefined : this.#last.get(name)) ?? this.#begin(name, after.token);
    if (!this.isTampered) {
      this.#noticeRewind(history, after, writer);
      this.#checkPosition(history, after);
      this.#checkEpoch(history, before, after, writer);
    }
    history.lsn = after.lsn ?? -1;
    history.owner = after.owner;
    history.lastWriteMs = nowMs;
    history.lastWriter = writer;
    history.isTombstone = after.isTombstone;
  }

  #begin(name: string, token: string): LeaseHistory {
    const history: LeaseHistory = {
      token,
      lsn: -1,
      epoch: -1,
      owner: undefined,
      lastWriteMs: this.#options.nowMs(),
      lastWriter: undefined,
      isTombstone: false,
      isRemoved: false,
      deletedMs: undefined,
      tenures: new Map(),
      next: undefined,
    };
    const last = this.#last.get(name);
    if (last !== undefined) last.next = history;
    this.#last.set(name, history);
    this.#histories.set(token, [history, ...(this.#histories.get(token) ?? [])]);
    return history;
  }

  /**
   * By policy, once for each refusal: what was stored counts no more, and neither does the note of what was finished above it (S23). What is
   * acknowledged from now on counts as ever.
   */
  #noticeRewind(history: LeaseHistory, after: LeaseFacts, writer: string | undefined): void {
    const isBack = (after.lsn ?? -1) < history.lsn;
    if (!isBack || !this.#options.mayRewind || !this.#refused.delete(`${writer} ${after.token}`)) return;
    history.lsn = after.lsn ?? -1;
    for (const tenure of history.tenures.values()) {
      tenure.startLsn = Math.min(tenure.startLsn, history.lsn);
      tenure.acknowledged.clear();
    }
    if (after.keys !== undefined) this.#readAnew.push(after.keys);
  }

  /** I2 and I5. */
  #checkPosition(history: LeaseHistory, after: LeaseFacts): void {
    const { container, isOwed, report } = this.#options;
    if (after.position === undefined) {
      if (history.lsn >= 0) report('I5', `lease ${after.token} lost its position "${history.lsn}"`);
      return;
    }
    if (after.lsn === undefined) {
      report('I2', `lease ${after.token} has the position ${after.position}, which no feed gave`);
      return;
    }
    if (after.lsn < history.lsn)
      report('I5', `lease ${after.token} went back from "${history.lsn}" to ${after.position} (owner ${after.owner})`);
    if (after.lsn === history.lsn) return;
    const { keys } = after;
    const ranges =
      keys === undefined ? container.ranges.filter((range) => range.id === after.token) : container.rangesOf(keys);
    for (const range of ranges) {
      for (let i = range.log.length - 1; i >= 0; i -= 1) {
        const change = range.log[i] as Change; // In range.
        if (change.lsn > after.lsn) continue;
        if (change.lsn <= history.lsn) break;
        if (keys !== undefined && !keyRangeContains(keys, change.position)) continue;
        if (isOwed(change))
          report(
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
    const { report, nowMs } = this.#options;
    // A lease whose mark is not the owner's was written by a host of another kind, which knows no epochs.
    const isReleased = after.owner === undefined && (before?.owner === undefined || before.owner === after.instance);
    const isMarked = after.epoch !== undefined && (isReleased || after.owner === after.instance);
    if (!isMarked || after.epoch === undefined) return;
    if (after.epoch < history.epoch)
      report('I4', `lease ${after.token} fell from epoch ${history.epoch} to ${after.epoch}`);
    const isNew = after.epoch !== history.epoch;
    if (!isNew && before?.nonce !== after.nonce && before?.epoch === after.epoch)
      report(
        'I4',
        `lease ${after.token} has two owners in epoch ${after.epoch}: ${before?.instance} and ${after.instance}`,
      );
    if (isNew) {
      history.epoch = after.epoch;
      history.tenures.set(after.epoch, {
        epoch: after.epoch,
        instance: after.instance,
        taking: this.#takingOf(history, before, after, writer),
        beganMs: nowMs(),
        startLsn: after.lsn ?? -1,
        writers: new Set(),
        acknowledged: new Set(),
        isOpen: false,
        isCleanlyClosed: false,
      });
    }
    const tenure = history.tenures.get(after.epoch);
    // The first write of an epoch may come from the one who handed it over.
    if (writer === undefined || tenure === undefined || (isNew && tenure.taking === 'handed-over')) return;
    tenure.writers.add(writer);
    if (tenure.writers.size > 1)
      report(
        'I4',
        `lease ${after.token}: writes of ${[...tenure.writers].join(' and ')} were accepted in epoch ${after.epoch}`,
      );
  }

  #takingOf(
    history: LeaseHistory,
    before: LeaseFacts | undefined,
    after: LeaseFacts,
    writer: string | undefined,
  ): Taking {
    if (before === undefined) return this.#isRemade(history, after) ? 'remade' : 'created';
    if (before.owner === undefined) return 'free';
    if (writer?.startsWith(`${before.owner}#`) === true && before.owner !== after.owner) return 'handed-over';
    // Clocks may run up to a tenth too fast.
    const isOld = this.#options.nowMs() - history.lastWriteMs >= this.#options.expirationMs * 0.9;
    return isOld ? 'expired' : 'stolen';
  }

  /** The audit makes leases without an owner; who finishes a split makes its own, and may not know that there was one. */
  #isRemade(history: LeaseHistory, after: LeaseFacts): boolean {
    const former = (this.#histories.get(after.token) ?? []).find(({ next }) => next === history);
    if (after.owner === undefined || former?.deletedMs === undefined) return false;
    return this.#options.nowMs() - former.deletedMs < this.#options.expirationMs;
  }

  /** I6, while it runs: from the beginning of the group on no key is without a lease. */
  #checkTiling(): void {
    if (!this.isBootstrapped || this.isTampered) return;
    const nowMs = this.#options.nowMs();
    const borne = this.#borne.filter(({ untilMs }) => nowMs < untilMs).map(({ keys }) => keys);
    const hole = holeIn([...this.live().flatMap(({ keys }) => keys ?? []), ...borne]);
    if (hole !== undefined) this.#options.report('I6', `no lease covers the keys from "${hole}"`);
  }

  /** Old documents name only their range. */
  #factsOf(document: StoredDocument | undefined): LeaseFacts | undefined {
    const facts = leaseFactsOf(document);
    return facts === undefined || facts.keys !== undefined
      ? facts
      : { ...facts, keys: this.#options.container.keysOfRange(facts.token) };
  }
}

/** First key that none of them covers. */
function holeIn(ranges: KeyRange[]): string | undefined {
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
