// Now and then the owner of a range writes its position beside the lease, so that a lease document which somebody deletes can be made
// again from there and not from the start of the group (S32). The first note is there before the lease is: whatever becomes of a lease, each
// of its keys has a note, its own or that of the lease that it came of.
//
// A note says: everything of these keys up to this position was acknowledged. That stays true, so no note is ever wrong, only old.

import type { KeyRange } from '@tidemark/model';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import type { SidecarParts } from '../lease/sidecars.ts';
import { epochOf, Sidecar } from '../lease/sidecars.ts';

export class PositionNote {
  readonly #parts: SidecarParts;
  readonly #everyMs: number;
  readonly #sidecar: Sidecar;
  #nextMs: number;
  #position: string | undefined;
  #writing: Promise<void> | undefined;

  constructor(parts: SidecarParts, names: LeaseNames, token: string, epoch: number, renewMs: number) {
    this.#parts = parts;
    this.#everyMs = renewalsBetween * renewMs;
    this.#sidecar = new Sidecar(parts, sidecarId(names, 'position', token), epoch, true);
    this.#nextMs = parts.clock.monotonicMs() + renewMs;
  }

  /** Writes it when the last time is long enough ago; `isUrgent`: whenever it was. Where it fails the next write of the lease tries again. */
  async note(lease: Lease, position: string | undefined, isUrgent: boolean): Promise<void> {
    const isDue = isUrgent || this.#parts.clock.monotonicMs() >= this.#nextMs;
    if (!isDue || this.#writing !== undefined || (position === this.#position && !isUrgent)) return;
    await this.#write(lease, position).catch(() => {});
  }

  /** Before the lease goes elsewhere: resolves when the note is there, behind any that is on its way, and rejects when it cannot be written. */
  async moveFirst(lease: Lease, position: string | undefined): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => {});
    await this.#write(lease, position);
  }

  async #write({ token, keys }: Lease, position: string | undefined): Promise<void> {
    if (position === undefined || keys === undefined) return;
    const nowMs = this.#parts.clock.monotonicMs();
    this.#nextMs = nowMs + this.#everyMs;
    this.#writing = this.#sidecar.save({ token, min: keys.min, max: keys.max, position });
    try {
      await this.#writing;
      this.#position = position;
    } catch (error) {
      this.#nextMs = nowMs;
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }
}

/**
 * Writes the note of a lease that is about to be made, and tells its epoch: above that of every note which a former lease of the token has
 * left, so that whoever still removes those does not mean this one.
 */
export function noteFirst(
  parts: SidecarParts,
  names: LeaseNames,
  lease: { readonly token: string; readonly keys: KeyRange; readonly position: string | undefined },
): (epochMin: number) => Promise<number> {
  const { token, keys, position } = lease;
  const { store, signal } = parts;
  return async (epochMin) => {
    const former = await store.read(sidecarId(names, 'position', token), { signal });
    const epoch = Math.max(epochMin, epochOf(former) + 1);
    const note = new Sidecar(parts, sidecarId(names, 'position', token), epoch, true);
    if (position !== undefined) await note.save({ token, min: keys.min, max: keys.max, position });
    return epoch;
  };
}

const renewalsBetween = 4;
