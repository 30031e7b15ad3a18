// How ranges leave a host: to whom, for what reason, and until when what is in flight may finish.

import type { Clock } from '../environment.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import type { Sightings } from '../lease/sightings.ts';
import { storeCallMsMax } from '../limits.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { BalanceStrategy } from './balance.ts';
import type { Group } from './group.ts';
import type { HostBeat } from './heartbeat.ts';
import { readBeat } from './heartbeat.ts';
import type { Plan } from './plan.ts';
import type { Tenure } from './tenure.ts';
import type { Disposal, DrainOrder } from './tenure-parts.ts';

export interface DrainOrdersParts {
  readonly clock: Clock;
  readonly settings: ProcessorSettings;
  readonly balance: BalanceStrategy;
  readonly sightings: Sightings;
  readonly store: DocumentStore;
  readonly names: LeaseNames;
  readonly signal: AbortSignal;
}

/** The time that a stop has. */
export interface StopTime {
  readonly endAtMs: number;
  readonly drainMs: number;
  readonly isKept: boolean;
}

export class DrainOrders {
  readonly #parts: DrainOrdersParts;
  /** Reads under way: ranges that move together ask once. */
  readonly #readyBeats = new Map<string, Promise<HostBeat | undefined>>();

  constructor(parts: DrainOrdersParts) {
    this.#parts = parts;
  }

  handOver(to: string): DrainOrder {
    return this.#within('handed-over', { kind: 'hand-over', to: () => this.#readyBeat(to) }, this.#lease.handoffMs);
  }

  /** A copy of a lease that another document counts for. */
  copy(): DrainOrder {
    return this.#within('lease-lost', { kind: 'release' }, this.#lease.handoffMs);
  }

  supersede(): DrainOrder {
    return this.#within('range-gone', { kind: 'supersede' }, this.#lease.expirationMs);
  }

  /** At once, and without a word: it is another's by now. */
  lost(): DrainOrder {
    const nowMs = this.#parts.clock.monotonicMs();
    return { reason: 'lease-lost', disposal: { kind: 'keep' }, abortAtMs: nowMs, endAtMs: nowMs + storeCallMsMax };
  }

  /** Each range goes to the host that should have it when this one is gone; to nobody when there is none. */
  stop(time: StopTime, plan: Plan | undefined, group: Group | undefined): (tenure: Tenure) => DrainOrder {
    const { settings, balance } = this.#parts;
    const { instance } = settings;
    const ready = this.#ready(plan);
    const leases = (group?.leases ?? []).map(({ id, token, owner }) => ({ id, token, owner }));
    const hosts = (plan?.hosts ?? []).map((host) => (host.name === instance ? { ...host, capacity: 0 } : host));
    const heirs = settings.lease.handoffMs === 0 ? new Map<string, string>() : balance(leases, hosts, instance);
    const abortAtMs = time.endAtMs - Math.min(abortReserveMs, time.drainMs / 3);
    return ({ id }) => {
      const heir = heirs.get(id);
      const disposal: Disposal = time.isKept
        ? { kind: 'keep' }
        : heir !== undefined && ready.has(heir)
          ? { kind: 'hand-over', to: () => this.#readyBeat(heir) }
          : { kind: 'release' };
      return { reason: 'shutdown', disposal, abortAtMs, endAtMs: time.endAtMs };
    };
  }

  get #lease(): ProcessorSettings['lease'] {
    return this.#parts.settings.lease;
  }

  #within(reason: DrainOrder['reason'], disposal: Disposal, drainMs: number): DrainOrder {
    const abortAtMs = this.#parts.clock.monotonicMs() + drainMs;
    return { reason, disposal, abortAtMs, endAtMs: abortAtMs + this.#lease.expirationMs };
  }

  /** Hosts that were seen to write not long ago. */
  #ready(plan: Plan | undefined): ReadonlySet<string> {
    const { clock, sightings } = this.#parts;
    const isReady = ({ stored, isLeaving }: HostBeat): boolean =>
      !isLeaving && sightings.writtenMs(stored, clock.monotonicMs()) <= 2 * this.#lease.renewMs;
    return new Set((plan?.live ?? []).filter(isReady).map(({ instance }) => instance));
  }

  /** The newest beat of a host that is to be given a range, from its document: it may have left since the last look. */
  #readyBeat(instance: string): Promise<HostBeat | undefined> {
    const known = this.#readyBeats.get(instance);
    if (known !== undefined) return known;
    const { store, names, signal } = this.#parts;
    const found = store
      .read(sidecarId(names, 'host', instance), { signal })
      .then((stored) => (stored === undefined ? undefined : readBeat(stored)))
      .then((beat) => (beat?.isLeaving ? undefined : beat))
      // Nobody is given a range that may not be there: it is released instead.
      .catch(() => undefined)
      .finally(() => this.#readyBeats.delete(instance));
    this.#readyBeats.set(instance, found);
    return found;
  }
}

/** Of the time of a stop, for handlers that were aborted and for the last writes of their leases. */
const abortReserveMs = 3000;
