// What the parts of a pump need of it. They decide about batches; the pump decides about the range.

import type { Decoder } from './deliveries.ts';
import type { OpenPage } from './open-page.ts';
import type { PumpContext, PumpEnd, PumpLease } from './pump.ts';
import type { PumpHealth } from './pump-health.ts';
import type { PumpParts } from './pump-parts.ts';

export interface Flow {
  readonly parts: PumpParts;
  readonly lease: PumpLease;
  readonly context: PumpContext;
  readonly decoder: Decoder;
  readonly health: PumpHealth;
  /** Aborted as soon as nothing new may be started: it ends pauses. */
  readonly finishing: AbortSignal;
  /** Nothing may be acknowledged any more. */
  isAborted(): boolean;
  /** Whether the lease is held; the pump stops when it is not. Asked before every delivery and every acknowledgement. */
  isHeld(): boolean;
  stop(end: PumpEnd): void;
  /** Acknowledged, skipped by policy, or parked: these are done for good. */
  settle(page: OpenPage, indexes: readonly number[]): void;
  /** With manual checkpoints: so many items of a page are done. The page itself may be forgotten by then. */
  acknowledge(sequence: number, items: number, names: readonly string[]): void;
  /** The handler need not see them again. */
  handled(page: OpenPage, count: number): void;
  /** Resolves when the position is stored beyond the page. */
  whenStored(sequence: number): Promise<void>;
  /** The same for a call that still runs: where the position cannot pass before it returns, what it has done is stored beside it. */
  whenKept(page: OpenPage): Promise<void>;
}
