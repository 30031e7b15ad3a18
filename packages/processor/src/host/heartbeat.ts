// The heartbeat of a host: a document that says it is there before it owns anything (F7), which process it is (S30), and what it can
// bear. Counted, so that a range can be handed over with "I have seen your beat 12": the new owner knows when it sent that one, so it may
// hold the range for a lease's time from then without writing anything.

import { isDatabaseError } from '@tidemark/model';
import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import type { Holder } from '../lease/holder.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import { avoidedMax, beatsKeptMax } from '../limits.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from '../store/document-store.ts';

/** A heartbeat as others read it. */
export interface HostBeat {
  readonly instance: string;
  readonly nonce: string;
  readonly beat: number;
  readonly capacity: number;
  readonly rangesMin: number;
  readonly rangesMax: number;
  /** How long its leases last without a write; undefined: of a version that did not say. */
  readonly expirationMs: number | undefined;
  readonly isLeaving: boolean;
  readonly avoided: readonly string[];
  readonly halted: readonly HaltedRange[];
  /** Where it parks, if that is beside the leases. */
  readonly deadLetters: string | undefined;
  readonly stored: StoredDocument;
}

/** A range that stands still until somebody resumes it. */
export interface HaltedRange {
  readonly leaseToken: string;
  readonly reason: string;
}

export function readBeat(stored: StoredDocument): HostBeat | undefined {
  const { body } = stored;
  const { instance, nonce } = body;
  if (typeof instance !== 'string' || typeof nonce !== 'string') return undefined;
  return {
    instance,
    nonce,
    beat: count(body['beat'], 0),
    capacity: count(body['capacity'], 1),
    rangesMin: count(body['rangesMin'], 0),
    rangesMax: count(body['rangesMax'], 0),
    expirationMs: count(body['expirationMs'], 0) || undefined,
    isLeaving: body['leaving'] === true,
    avoided: Array.isArray(body['avoided']) ? body['avoided'].filter((token) => typeof token === 'string') : [],
    halted: Array.isArray(body['halted']) ? body['halted'].flatMap(haltedOf) : [],
    deadLetters: typeof body['deadLetters'] === 'string' ? body['deadLetters'] : undefined,
    stored,
  };
}

function haltedOf(value: unknown): HaltedRange[] {
  const { leaseToken, reason }: { leaseToken?: unknown; reason?: unknown } = Object(value);
  return typeof leaseToken === 'string' && typeof reason === 'string' ? [{ leaseToken, reason }] : [];
}

export interface HeartbeatParts extends Ground {
  readonly store: DocumentStore;
  readonly holder: Holder;
  readonly settings: ProcessorSettings;
  readonly stamp: () => string;
}

export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #startedAt: string;
  #id = '';
  #hasBegun = false;
  #stored: StoredDocument | undefined;
  #beat = 0;
  /** When each of the last beats was sent, by the monotonic clock. */
  readonly #sentAtMs = new Map<number, number>();

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#startedAt = parts.stamp();
  }

  /** The last one that is known to be stored: a list that does not show it is of the past. */
  get storedBeat(): number {
    return count(this.#stored?.body['beat'], 0);
  }

  sentAtMs(beat: number): number | undefined {
    return this.#sentAtMs.get(beat);
  }

  /**
   * Makes the name this process's own, whoever has it: the last to come is the one that was started last. An older process of the name
   * sees it and stops.
   */
  async begin(names: LeaseNames, signal: AbortSignal): Promise<void> {
    if (this.#hasBegun) return;
    this.#id = sidecarId(names, 'host', this.#parts.holder.instance);
    for (let tries = 0; ; tries += 1) {
      this.#stored = await this.#parts.store.read(this.#id, { signal });
      try {
        await this.#send({ isLeaving: false, avoided: [], halted: [] }, signal);
        this.#hasBegun = true;
        return;
      } catch (error) {
        if (!isSwapFailure(error) || tries === triesMax) throw error;
        await this.#pause(error, tries, signal);
      }
    }
  }

  /** Resolves with whether the name is still this process's. */
  async beat(state: BeatState, signal: AbortSignal): Promise<boolean> {
    const before = this.#stored;
    let failure: unknown;
    try {
      await this.#send(state, signal);
      return true;
    } catch (error) {
      if (!isSwapFailure(error)) throw error;
      failure = error;
    }
    // Deleted by somebody, or our own write of which the answer was lost, or another process.
    const found = await this.#parts.store.read(this.#id, { signal });
    if (found !== undefined && found.body['nonce'] !== this.#parts.holder.nonce) return false;
    this.#stored = found;
    if (this.storedBeat === this.#beat) return true;
    // Nothing has changed that would let the next one fare better.
    if (found?.etag === before?.etag) await this.#pause(failure, 0, signal);
    await this.#send(state, signal);
    return true;
  }

  /** The last word. Failing is no harm: it is forgotten after a while. */
  async end(signal: AbortSignal): Promise<void> {
    const stored = this.#stored;
    this.#stored = undefined;
    if (stored === undefined) return;
    await this.#parts.store.remove(stored, signal).catch(() => {});
  }

  async #send(state: BeatState, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#parts;
    const current = this.#stored;
    this.#beat += 1;
    this.#sentAtMs.set(this.#beat, clock.monotonicMs());
    this.#sentAtMs.delete(this.#beat - beatsKeptMax);
    const body = this.#body(state);
    this.#stored = await (current === undefined ? store.create(body, signal) : store.replace(current, body, signal));
  }

  async #pause(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const askedMs = isDatabaseError(error) ? error.retryAfterMs : undefined;
    await this.#parts.clock.sleep(retryPauseMs(this.#parts, failures, askedMs), signal);
    signal.throwIfAborted();
  }

  #body(state: BeatState): DocumentBody & { readonly id: string } {
    const { holder, settings } = this.#parts;
    return {
      id: this.#id,
      instance: holder.instance,
      nonce: holder.nonce,
      beat: this.#beat,
      capacity: settings.lease.capacity,
      rangesMin: settings.lease.rangesMin,
      rangesMax: settings.lease.rangesMax,
      expirationMs: settings.lease.expirationMs,
      mode: settings.mode,
      purpose: settings.purpose ?? null,
      startedAt: this.#startedAt,
      ...(settings.deadLetters === undefined ? {} : { deadLetters: settings.deadLetters }),
      timestamp: this.#parts.stamp(),
      leaving: state.isLeaving,
      avoided: state.avoided.slice(0, avoidedMax),
      ...(state.halted.length === 0 ? {} : { halted: state.halted.slice(0, avoidedMax) }),
    };
  }
}

export interface BeatState {
  readonly isLeaving: boolean;
  readonly avoided: readonly string[];
  readonly halted: readonly HaltedRange[];
}

const triesMax = 3;

function isSwapFailure(error: unknown): boolean {
  if (!isDatabaseError(error)) return false;
  return ['precondition-failed', 'not-found', 'conflict', 'outcome-unknown', 'request-timeout'].includes(error.code);
}

function count(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;
}
