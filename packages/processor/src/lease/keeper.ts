// The only writer of one lease that this host owns.
//
// One compare-and-swap is in flight at a time (S13). Each stores what is newest: the checkpoint that waits, else the idle position that
// was offered, and renews the lease by the way. Callers of older checkpoints resolve when a later position is stored.
//
// After an answer that leaves the outcome open (412, timeout, lost connection) the document is read again, and the write id says whether
// it is ours: known → it was done; ours but older → write again; not ours → lost, for good. Nothing is ever applied blindly (S14, D3).
//
// After a write that failed there is a pause that grows, whatever was answered. Only the first of a row may be repeated at once, where the
// document has changed: that explains why it failed.
//
// The lease is held until `expirationMs - fenceMarginMs` after the *sending* of the last write that is known to be done, by the monotonic
// clock. `isHeld` asks the clock every time, so a process that was frozen is fenced before it does anything (S4, S29).

import { retryPauseMsMin } from '@tidemark/client';
import { isDatabaseError } from '@tidemark/model';
import { bounded, retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { openWritesMax, storeCallMsMax } from '../limits.ts';
import { ProcessorError } from '../processor-error.ts';
import type { LeaseSettings } from '../settings.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { LeaseChange } from './dotnet-lease.ts';
import { changedLeaseBody, readLease } from './dotnet-lease.ts';
import type { Holder, LeaseRules } from './holder.ts';
import type { Lease, LeaseMark } from './lease.ts';
import type { StoreLoad } from './store-load.ts';

export type KeeperEnd =
  /** Somebody else has it. */
  | { readonly kind: 'lost'; readonly to: string | undefined }
  /** The document was deleted. */
  | { readonly kind: 'gone' }
  /** It could not be renewed in time. */
  | { readonly kind: 'fenced' }
  /** Given up by this host. */
  | { readonly kind: 'closed' };

/** The last write of an owner. */
export type LastWrite =
  | { readonly kind: 'release' }
  | {
      readonly kind: 'hand-over';
      readonly to: { readonly instance: string; readonly nonce: string; readonly beat: number };
    }
  | { readonly kind: 'tombstone'; readonly children: readonly string[] };

export interface KeeperParts extends Ground {
  readonly store: DocumentStore;
  readonly leasesPrefix: string;
  readonly settings: LeaseSettings;
  readonly holder: Holder;
  readonly rules: LeaseRules;
  readonly load: StoreLoad;
  /** For hosts of .NET: the time now, as the server has it. */
  readonly stamp: () => string;
  readonly onWritten: (lease: Lease, isRenewal: boolean) => void;
  readonly onFailed: (error: unknown) => void;
  /** Before the position is set anew: what is kept of it elsewhere must not stay behind. Rejects where it would. */
  readonly onReset: (lease: Lease, position: string | undefined) => Promise<void>;
  /** The position was changed by somebody who is not a host; ours is restored with the next write (S35). */
  readonly onEdited: (found: string | undefined, restored: string | undefined) => void;
}

export class Keeper {
  readonly #parts: KeeperParts;
  readonly epoch: number;
  readonly ended: Promise<KeeperEnd>;
  #lease: Lease;
  #position: string | undefined;
  #sentAtMs: number;
  #end: KeeperEnd | undefined;
  /** Ends the call under way with the keeper. */
  readonly #calls = new AbortController();
  #resolveEnd: (end: KeeperEnd) => void = () => {};
  /** Writes whose outcome is not known yet, by write id. */
  readonly #open = new Map<string, Attempt>();
  #offered: string | undefined;
  /** Checkpoints that wait to be stored: the last position is the one that is written. */
  #waiting: Waiter[] = [];
  #last: Last | undefined;
  #failures = 0;
  /** After a failure: new checkpoints do not cut the pause short. */
  #isBackingOff = false;
  #wake: () => void = () => {};

  /** `lease` is owned by the holder, written by a request that was sent at `sentAtMs`. */
  constructor(parts: KeeperParts, lease: Lease, epoch: number, sentAtMs: number) {
    this.#parts = parts;
    this.#lease = lease;
    this.#position = lease.position;
    this.#sentAtMs = sentAtMs;
    this.epoch = epoch;
    this.ended = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** The position that is stored. */
  get position(): string | undefined {
    return this.#position;
  }

  get heldUntilMs(): number {
    return this.#parts.rules.holdUntilMs(this.#sentAtMs, this.#parts.settings);
  }

  isHeld(): boolean {
    return this.#end === undefined && this.#parts.clock.monotonicMs() < this.heldUntilMs;
  }

  checkpoint(position: string): Promise<void> {
    if (!this.isHeld()) return Promise.reject(this.#refusal());
    const newest = this.#waiting.at(-1)?.position ?? this.#position;
    // A position behind what is stored is covered by it: never backwards (I5).
    const target = this.#parts.rules.mayMove(newest, position) ? position : newest;
    // Offered before there was more: a renewal that stored it now would go back.
    this.#offered = undefined;
    if (this.#waiting.length === 0 && target === this.#position) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ position: target, resolve, reject });
      if (!this.#isBackingOff) this.#wake();
    });
  }

  /** The feed refused the position and the policy says where to go on instead, forwards or backwards (S23). Undefined: at the start. */
  async reset(position: string | undefined): Promise<void> {
    if (this.isHeld()) await this.#parts.onReset(this.#lease, position);
    if (!this.isHeld()) throw this.#refusal();
    this.#offered = undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ position, resolve, reject });
      this.#wake();
    });
  }

  offer(position: string): void {
    this.#offered = position;
  }

  /** Resolves with whether it was done. Afterwards, or when it was not, the lease is not this host's any more. */
  finish(write: LastWrite): Promise<boolean> {
    if (this.#end !== undefined || this.#last !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#last = { write, done: resolve };
      this.#wake();
    });
  }

  /** Gives up without a write: the lease stays as it is until it expires. */
  close(): void {
    this.#finish({ kind: 'closed' });
  }

  /** Runs until the lease is not held any more. Never rejects. */
  async run(): Promise<KeeperEnd> {
    while (this.#end === undefined) {
      const pauseMs = this.#pauseMs();
      if (pauseMs > 0) await this.#sleep(pauseMs);
      else if (!this.isHeld()) this.#finish({ kind: 'fenced' });
      else await this.#write();
    }
    return this.#end;
  }

  /** Until the next write, or until the lease is over. */
  #pauseMs(): number {
    const { clock, settings, load } = this.#parts;
    const nowMs = clock.monotonicMs();
    let nextMs = this.#sentAtMs + settings.renewMs;
    if (this.#last !== undefined) nextMs = nowMs;
    else if (this.#waiting.length > 0) nextMs = Math.min(nextMs, load.calmAtMs);
    return Math.min(nextMs, this.heldUntilMs) - nowMs;
  }

  async #write(): Promise<void> {
    const { store, clock, holder } = this.#parts;
    const last = this.#last;
    const waiting = this.#waiting.length;
    const newest = this.#waiting.at(-1);
    const position =
      newest === undefined
        ? this.#parts.rules.renewedPosition(this.#position, this.#movable(this.#offered))
        : newest.position;
    const attempt: Attempt = { sentAtMs: clock.monotonicMs(), position, waiting, last, isRenewal: waiting === 0 };
    const writeId = holder.nextWriteId();
    const body = changedLeaseBody(this.#lease, this.#change(attempt, writeId));
    if (this.#open.size >= openWritesMax) this.#open.clear();
    this.#open.set(writeId, attempt);
    try {
      const stored = await bounded(clock, this.#callMs(), this.#calls.signal, (signal) =>
        store.replace(this.#lease.stored, body, signal),
      );
      this.#written(readLease(stored, this.#parts.leasesPrefix) ?? this.#lease, attempt);
    } catch (error) {
      await this.#failed(error);
    }
  }

  #change(attempt: Attempt, writeId: string): LeaseChange {
    const { holder } = this.#parts;
    const mark: LeaseMark = { epoch: this.epoch, instance: holder.instance, nonce: holder.nonce, writeId };
    const base = { position: attempt.position, timestamp: this.#parts.stamp() };
    const write = attempt.last?.write;
    if (write === undefined) return { ...base, owner: holder.instance, mark };
    if (write.kind === 'release') return { ...base, owner: undefined, mark };
    if (write.kind === 'tombstone') return { ...base, owner: undefined, mark, children: write.children };
    const { instance, nonce, beat } = write.to;
    return { ...base, owner: instance, mark: { epoch: this.epoch + 1, instance, nonce, writeId }, beat };
  }

  #written(lease: Lease, attempt: Attempt): void {
    this.#lease = lease;
    this.#position = attempt.position;
    this.#sentAtMs = Math.max(this.#sentAtMs, attempt.sentAtMs);
    this.#open.clear();
    this.#failures = 0;
    if (this.#offered === attempt.position) this.#offered = undefined;
    this.#parts.load.succeeded();
    this.#parts.onWritten(lease, attempt.isRenewal);
    // Checkpoints that came while this one was under way wait for the next.
    for (const waiter of this.#waiting.splice(0, attempt.waiting)) waiter.resolve();
    if (attempt.last !== undefined) this.#finish({ kind: 'closed' }, true);
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#end !== undefined) return;
    this.#parts.load.failed(error);
    const code = isDatabaseError(error) ? error.code : 'outcome-unknown';
    if (code === 'not-found') return this.#finish({ kind: 'gone' });
    const isOpen = code === 'precondition-failed' || code === 'outcome-unknown' || code === 'request-timeout';
    if (code !== 'precondition-failed') this.#parts.onFailed(error);
    this.#failures += 1;
    const hasChanged = isOpen && (await this.#readAgain());
    if (this.#end !== undefined || (hasChanged && this.#failures <= 1)) return;
    this.#isBackingOff = true;
    await this.#sleep(this.#retryPauseMs(isDatabaseError(error) ? error.retryAfterMs : undefined));
    this.#isBackingOff = false;
  }

  /** The last tries come closer together: a store that takes writes again shortly before the end costs no lease. */
  #retryPauseMs(askedMs = 0): number {
    const leftMs = this.heldUntilMs - this.#parts.clock.monotonicMs();
    const pauseMs = Math.min(retryPauseMs(this.#parts, this.#failures - 1), Math.max(retryPauseMsMin, leftMs / 2));
    return Math.min(leftMs, Math.max(askedMs, pauseMs));
  }

  /** Finds out what a write with an open outcome has done. True when the document is another one than before: it was done, or edited. */
  async #readAgain(): Promise<boolean> {
    const { store, clock, leasesPrefix } = this.#parts;
    const { id, key, etag } = this.#lease.stored;
    try {
      const stored = await bounded(clock, this.#callMs(), this.#calls.signal, (signal) =>
        store.read(id, { key, signal }),
      );
      const found = stored === undefined ? undefined : readLease(stored, leasesPrefix);
      if (found === undefined) this.#finish({ kind: 'gone' });
      else this.#found(found, found.mark === undefined ? undefined : this.#open.get(found.mark.writeId));
      // Unchanged after a refusal, the read is older than it; after no answer, the write was not done, or not yet. The next one would fare alike.
      return found?.stored.etag !== etag;
    } catch (error) {
      if (this.#end === undefined) this.#parts.onFailed(error);
      return false;
    }
  }

  #found(found: Lease, attempt: Attempt | undefined): void {
    const { holder, rules } = this.#parts;
    if (attempt !== undefined) {
      this.#written(found, attempt);
    } else if (rules.isOwn(found, holder, this.epoch)) {
      if (found.position !== this.#position) this.#parts.onEdited(found.position, this.#position);
      this.#lease = found;
    } else {
      this.#finish({ kind: 'lost', to: found.owner });
    }
  }

  #movable(offered: string | undefined): string | undefined {
    return offered !== undefined && this.#parts.rules.mayMove(this.#position, offered) ? offered : undefined;
  }

  #finish(end: KeeperEnd, isDone = false): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const refusal = this.#refusal();
    for (const waiter of this.#waiting.splice(0)) waiter.reject(refusal);
    this.#last?.done(isDone);
    this.#resolveEnd(end);
    this.#calls.abort(refusal);
    this.#wake();
  }

  #refusal(): ProcessorError {
    const { token } = this.#lease;
    if (this.#end === undefined || this.#end.kind === 'fenced') {
      return new ProcessorError('fenced', `The lease of range ${token} could not be renewed in time.`);
    }
    const owner = this.#end.kind === 'lost' ? (this.#end.to ?? 'nobody') : 'this host no more';
    return new ProcessorError('lease-lost', `The lease of range ${token} belongs to ${owner}.`);
  }

  #callMs(): number {
    return Math.min(storeCallMsMax, this.heldUntilMs - this.#parts.clock.monotonicMs());
  }

  async #sleep(ms: number): Promise<void> {
    const controller = new AbortController();
    this.#wake = () => controller.abort(notNeeded);
    await this.#parts.clock.sleep(ms, controller.signal);
    this.#wake = () => {};
  }
}

interface Attempt {
  readonly sentAtMs: number;
  readonly position: string | undefined;
  /** How many waiting checkpoints it stores. */
  readonly waiting: number;
  readonly last: Last | undefined;
  readonly isRenewal: boolean;
}

interface Last {
  readonly write: LastWrite;
  readonly done: (isDone: boolean) => void;
}

interface Waiter {
  readonly position: string | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
