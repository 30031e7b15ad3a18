// When a host looks at its group again: after its interval, or earlier when the lease container changes, so that ranges move in
// milliseconds and not at the next tick (F18).

import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { storeWatchMs, wakeGapMsMin } from '../limits.ts';
import type { DocumentStore } from '../store/document-store.ts';
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

  /** Renewals and checkpoints change the container all the time. Wakes that brought nothing make the next ones rarer. */
  saw(group: Group): void {
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
    let position: string | undefined;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const watched = await store.watch(position, storeWatchMs, signal);
        if (!watched.isWaitApplied) return;
        position = watched.position;
        failures = 0;
        if (!watched.hasChanged) continue;
        await clock.sleep(this.#lookedAtMs + this.#gapMs - clock.monotonicMs(), signal);
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
