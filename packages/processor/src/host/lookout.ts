// When a host looks at its group again: after its interval, or earlier when the lease container changes, so that ranges move in
// milliseconds and not at the next tick (F18).

import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { readLease } from '../lease/dotnet-lease.ts';
import { storeWatchMs, wakeGapMsMin } from '../limits.ts';
import type { DocumentBody, DocumentStore } from '../store/document-store.ts';
import type { Group } from './group.ts';

export interface LookoutParts extends Ground {
  readonly store: DocumentStore;
  readonly acquireMs: number;
  readonly signal: AbortSignal;
}

export class Lookout {
  readonly #parts: LookoutParts;
  #isWoken = false;
  #wake: () => void = () => {};
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #gapMs = wakeGapMsMin;
  #shape = '';
  #group: Group | undefined;

  constructor(parts: LookoutParts) {
    this.#parts = parts;
  }

  /** Until `ms` have passed, or somebody wakes, or the signal aborts. */
  async sleep(ms: number): Promise<void> {
    if (ms <= 0) return;
    if (!this.#isWoken)
      await wakeableSleep(this.#parts, ms, (wake) => {
        this.#wake = wake;
      });
    this.#isWoken = false;
  }

  wake(): void {
    this.#wake();
  }

  /** A look begins. */
  begins(): void {
    this.#lookedAtMs = this.#parts.clock.monotonicMs();
  }

  /** Whether a changed document may change what this host does: not a renewal, not a checkpoint, not another beat of the same heart. */
  #isNews(body: DocumentBody): boolean {
    const group = this.#group;
    const id = String(body['id']);
    if (group === undefined || id.includes('.x.control.')) return true;
    if (id.includes('.x.host.')) {
      const known = group.beats.find(({ stored }) => stored.id === id)?.stored.body;
      return known === undefined || beatFacts.some((name) => !isSame(known[name], body[name]));
    }
    if (id.includes('.x.')) return false;
    const known = group.leases.find((lease) => lease.id === id);
    if (known === undefined) return id.includes('..') && !group.tombstones.some((tombstone) => tombstone.id === id);
    const facts = readLease({ ...known.stored, body }, '');
    return (
      facts === undefined || facts.owner !== known.owner || facts.mark?.nonce !== known.mark?.nonce || facts.isTombstone
    );
  }

  /** Renewals and checkpoints change the container all the time. Wakes that brought nothing make the next ones rarer. */
  saw(group: Group): void {
    this.#group = group;
    const shape = [
      ...group.leases.map(({ id, owner }) => `${id}=${owner ?? ''}`),
      ...group.beats.map(({ instance, nonce, isLeaving }) => `${instance}/${nonce}/${isLeaving}`),
      `${group.control.isPaused}/${group.control.turn}`,
    ].join('\n');
    const gapMsMax = Math.max(wakeGapMsMin, this.#parts.acquireMs / 4);
    this.#gapMs = shape === this.#shape ? Math.min(gapMsMax, this.#gapMs * 2) : wakeGapMsMin;
    this.#shape = shape;
  }

  /** Watches until the signal aborts, or for good when the endpoint does not wait. */
  async watch(): Promise<void> {
    const { clock, store, signal, acquireMs } = this.#parts;
    if (store.watch === undefined) return;
    const paceMs = Math.min(paceMsMax, Math.max(wakeGapMsMin, acquireMs / 20));
    let position: string | undefined;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const askedMs = clock.monotonicMs();
        const watched = await store.watch(position, storeWatchMs, signal);
        if (!watched.isWaitApplied) return;
        position = watched.position;
        failures = 0;
        if (!watched.hasChanged) {
          // Whoever says that it waits and does not is not asked in a hot loop.
          await clock.sleep(askedMs + paceMs - clock.monotonicMs(), signal);
          continue;
        }
        if (watched.changed?.some((body) => this.#isNews(body)) === false) {
          await clock.sleep(paceMs, signal);
          continue;
        }
        const isKnown = watched.changed !== undefined;
        await clock.sleep(this.#lookedAtMs + (isKnown ? wakeGapMsMin : this.#gapMs) - clock.monotonicMs(), signal);
        this.#isWoken = true;
        this.#wake();
      } catch {
        // The interval still looks; only the speed is lost.
        await clock.sleep(retryPauseMs(this.#parts, failures, acquireMs / 10), signal);
        failures += 1;
      }
    }
  }
}

/** Between two watches that brought nothing: others' renewals come all the time. */
const paceMsMax = 1000;

const beatFacts = ['nonce', 'leaving', 'avoided', 'capacity'] as const;

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** `expose` is given what ends the sleep early. */
export async function wakeableSleep(
  parts: Ground & { readonly signal: AbortSignal },
  ms: number,
  expose: (wake: () => void) => void,
): Promise<void> {
  const controller = new AbortController();
  const wake = (): void => controller.abort(notNeeded);
  if (parts.signal.aborted) return;
  parts.signal.addEventListener('abort', wake, { once: true });
  expose(wake);
  await parts.clock.sleep(ms, controller.signal);
  parts.signal.removeEventListener('abort', wake);
}
