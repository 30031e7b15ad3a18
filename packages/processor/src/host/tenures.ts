// All leases that this host is at work on, and what it learnt from those that ended.

import type { Ground } from '../environment.ts';
import type { EventSink, ProcessorEvent } from '../events.ts';
import type { Acquired } from '../lease/acquire.ts';
import type { KeeperParts } from '../lease/keeper.ts';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import { Sidecar } from '../lease/sidecars.ts';
import { avoidMsMax, avoidMsMin, haltedCharsMax } from '../limits.ts';
import type { PumpMemory } from '../pump/pump.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { HaltedRange } from './heartbeat.ts';
import { PositionNote } from './position-notes.ts';
import { Tenure } from './tenure.ts';
import type { DrainOrder, TenureEnd, TenureParts } from './tenure-parts.ts';

export interface TenuresParts extends Ground {
  readonly store: DocumentStore;
  readonly names: LeaseNames;
  readonly renewMs: number;
  readonly emit: EventSink;
  readonly keeper: Omit<KeeperParts, 'onWritten' | 'onEdited' | 'onReset'>;
  readonly tenure: Omit<TenureParts, 'keeper' | 'memory' | 'isTakeover' | 'life'>;
  /** Until the host is closed. */
  readonly signal: AbortSignal;
  /** A range has ended here: who should have it now? */
  readonly onEnded: (tenure: Tenure, end: TenureEnd) => void;
}

type AcquiredFrom = Extract<ProcessorEvent, { readonly type: 'lease.acquired' }>['from'];

export class Tenures {
  readonly #parts: TenuresParts;
  readonly #running = new Map<string, Tenure>();
  /** The highest epoch of each lease that was held here or given away; pruned to leases that exist. */
  #epochs = new Map<string, number>();
  /** Ranges that failed here, by token; pruned to leases that exist. */
  #avoided = new Map<string, { readonly untilMs: number; readonly failures: number }>();
  /** Leases that a tenure makes as its successors: nobody else of this host begins them. */
  readonly #reserved = new Map<string, Tenure>();
  /** Since the host stops: whatever is still acquired goes the same way. */
  #order: ((tenure: Tenure) => DrainOrder) | undefined;

  constructor(parts: TenuresParts) {
    this.#parts = parts;
  }

  get all(): readonly Tenure[] {
    return [...this.#running.values()];
  }

  get ids(): ReadonlySet<string> {
    return new Set([...this.#running.keys(), ...this.#reserved.keys()]);
  }

  reserve(tenure: Tenure, leaseIds: readonly string[]): void {
    for (const id of leaseIds) this.#reserved.set(id, tenure);
  }

  get(leaseId: string): Tenure | undefined {
    return this.#running.get(leaseId);
  }

  heldEpoch(leaseId: string): number {
    return this.#epochs.get(leaseId) ?? 0;
  }

  begin(acquired: Acquired, from: AcquiredFrom, openAtMs: number): void {
    const { lease, epoch } = acquired;
    if (this.#running.has(lease.id)) return;
    const { signal, clock, random, store, names, renewMs } = this.#parts;
    const note = new PositionNote({ clock, random, store, signal }, names, lease.token, epoch, renewMs);
    const tenure: Tenure = new Tenure(this.#tenureParts(acquired, note, from), acquired, openAtMs);
    this.#running.set(lease.id, tenure);
    this.#epochs.set(lease.id, epoch);
    this.#parts.emit({ type: 'lease.acquired', leaseToken: lease.token, epoch, from });
    void tenure.done.then((end) => this.#ended(tenure, end, note));
    // From the beginning on, a lease that is deleted can be made again where it was.
    if (epoch === 1) void note.note(lease, lease.position, true);
    tenure.start();
    const order = this.#order?.(tenure);
    if (order !== undefined) tenure.drain(order);
  }

  /** Every range is let go, also those that come later. */
  drainAll(order: (tenure: Tenure) => DrainOrder): void {
    this.#order = order;
    for (const tenure of this.#running.values()) tenure.drain(order(tenure));
  }

  /** Resolves when nothing runs any more. */
  async allDone(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.all.map((tenure) => tenure.done));
  }

  /** Tokens of ranges that failed here a moment ago: others may be luckier. */
  avoided(): ReadonlySet<string> {
    const nowMs = this.#parts.clock.monotonicMs();
    return new Set([...this.#avoided].filter(([, { untilMs }]) => untilMs > nowMs).map(([token]) => token));
  }

  /** Ranges that stand still until somebody resumes them: told in the heartbeat, so that others can see it. */
  halted(): HaltedRange[] {
    return this.all.flatMap(({ token, halted }) =>
      halted === undefined ? [] : [{ leaseToken: token, reason: halted.reason.slice(0, haltedCharsMax) }],
    );
  }

  /** Until the next range may be tried again here. */
  avoidedForMs(): number {
    const nowMs = this.#parts.clock.monotonicMs();
    const left = [...this.#avoided.values()].map(({ untilMs }) => untilMs - nowMs).filter((ms) => ms > 0);
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }

  /** Forgets what was known of leases that do not exist any more. */
  prune(leases: readonly { readonly id: string; readonly token: string }[]): void {
    const ids = new Set(leases.map(({ id }) => id));
    const tokens = new Set(leases.map(({ token }) => token));
    this.#epochs = new Map([...this.#epochs].filter(([id]) => ids.has(id)));
    this.#avoided = new Map([...this.#avoided].filter(([token]) => tokens.has(token)));
  }

  #ended(tenure: Tenure, end: TenureEnd, note: PositionNote): void {
    const { lease, epoch } = tenure.acquired;
    this.#running.delete(tenure.id);
    for (const [id, by] of this.#reserved) if (by === tenure) this.#reserved.delete(id);
    if (end.reason === 'handed-over') this.#epochs.set(tenure.id, epoch + 1);
    if (end.reason === 'lease-gone') void note.note(lease, tenure.keeper.position, true);
    // Where a handler does not end, its lease runs out first, here as elsewhere (S28).
    if (end.isHung) this.#avoid(lease.token, this.#parts.keeper.settings.expirationMs);
    else if (end.reason === 'feed-failed' || end.reason === 'handler-failed') this.#avoid(lease.token, 0);
    else if (end.reason !== 'fenced') this.#avoided.delete(lease.token);
    for (const successor of end.successors) this.begin(successor, 'own', Number.NEGATIVE_INFINITY);
    this.#parts.onEnded(tenure, end);
  }

  #avoid(token: string, msMin: number): void {
    const failures = (this.#avoided.get(token)?.failures ?? 0) + 1;
    const forMs = Math.max(msMin, Math.min(avoidMsMax, avoidMsMin * 2 ** Math.min(failures - 1, 10)));
    this.#avoided.set(token, { failures, untilMs: this.#parts.clock.monotonicMs() + forMs });
  }

  #tenureParts(acquired: Acquired, note: PositionNote, from: AcquiredFrom): TenureParts {
    const { token } = acquired.lease;
    const { health } = this.#parts.tenure;
    const withKeys = (lease: Lease): Lease => ({ ...lease, keys: lease.keys ?? acquired.lease.keys });
    return {
      ...this.#parts.tenure,
      isTakeover: from === 'expired' || from === 'own',
      life: this.#parts.signal,
      memory: (name, epoch, signal) => this.#memory(name, epoch, signal),
      keeper: {
        ...this.#parts.keeper,
        onWritten: (lease, isRenewal) => {
          health.clear('lease-store-failing');
          health.clear('credentials-refused');
          if (isRenewal) this.#parts.emit({ type: 'lease.renewed', leaseToken: token, epoch: acquired.epoch });
          // Also a checkpoint: a range with one every few seconds is never merely renewed.
          void note.note(withKeys(lease), lease.position, false);
        },
        onReset: (lease, position) => note.moveFirst(withKeys(lease), position),
        onEdited: (found, restored) => {
          const message = `The position of range ${token} was changed from ${restored} to ${found} by somebody who is not its owner; it is put back.`;
          health.raise('lease-edited', token, message);
        },
      },
    };
  }

  #memory(token: string, epoch: number, signal: AbortSignal): PumpMemory {
    const { clock, random, store, names } = this.#parts;
    const open = (kind: 'done' | 'retry'): Sidecar =>
      new Sidecar({ clock, random, store, signal }, sidecarId(names, kind, token), epoch);
    const sidecars = { done: open('done'), retry: open('retry') };
    return {
      load: (kind) => sidecars[kind].load(),
      save: (kind, value) => sidecars[kind].save(value),
    };
  }
}
