// Now and then the owner of a range writes its position beside the lease, so that a lease document which somebody deletes can be made
// again from there and not from the start of the group (S32).

import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import type { SidecarParts } from '../lease/sidecars.ts';
import { Sidecar } from '../lease/sidecars.ts';

export class PositionNote {
  readonly #parts: SidecarParts;
  readonly #everyMs: number;
  readonly #sidecar: Sidecar;
  #nextMs: number;
  #position: string | undefined;
  #isWriting = false;

  constructor(parts: SidecarParts, names: LeaseNames, token: string, epoch: number, renewMs: number) {
    this.#parts = parts;
    this.#everyMs = renewalsBetween * renewMs;
    this.#sidecar = new Sidecar(parts, sidecarId(names, 'position', token), epoch);
    this.#nextMs = parts.clock.monotonicMs() + renewMs;
  }

  /** Writes it when the last time is long enough ago; `isUrgent`: whenever it was. Failing is no harm, the next one comes. */
  async note(lease: Lease, position: string | undefined, isUrgent: boolean): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    const isDue = isUrgent || nowMs >= this.#nextMs;
    const { keys, token } = lease;
    if (!isDue || this.#isWriting || position === undefined || keys === undefined) return;
    if (position === this.#position && !isUrgent) return;
    this.#nextMs = nowMs + this.#everyMs;
    this.#isWriting = true;
    try {
      const value = { token, min: keys.min, max: keys.max, position };
      await this.#sidecar.save(value);
      this.#position = position;
    } catch {
      // Tried again with the next renewal.
    } finally {
      this.#isWriting = false;
    }
  }
}

const renewalsBetween = 4;
