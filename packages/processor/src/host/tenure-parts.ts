// What a tenure is given, what it is told, and what it says at its end.

import type { Ground } from '../environment.ts';
import type { EventSink, HealthProblem } from '../events.ts';
import type { FeedSource, FeedStart } from '../feed/feed-source.ts';
import type { Acquired } from '../lease/acquire.ts';
import type { KeeperParts } from '../lease/keeper.ts';
import type { CloseReason, RangeContext } from '../observer.ts';
import type { MakePump, PumpEnd, PumpMemory } from '../pump/pump.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { Health } from './health.ts';
import type { HostRules } from './rules.ts';
import type { Tenure } from './tenure.ts';

/** The part of an observer that a tenure calls; the pump calls the rest. */
export interface RangeObserver {
  open?(context: RangeContext): Promise<void> | void;
  close?(context: RangeContext, reason: CloseReason): Promise<void> | void;
}

/** What becomes of the lease when this host lets it go. */
export type Disposal =
  | { readonly kind: 'release' }
  /** It stays this host's until it expires or the host comes back. */
  | { readonly kind: 'keep' }
  /** Other leases cover its keys: what they do not cover gets leases, and this one becomes a tombstone. */
  | { readonly kind: 'supersede' }
  /** Asked for at the last moment, for the newest beat; undefined: the host is gone, release. */
  | {
      readonly kind: 'hand-over';
      readonly to: () => Promise<
        { readonly instance: string; readonly nonce: string; readonly beat: number } | undefined
      >;
    };

export interface DrainOrder {
  readonly reason: CloseReason;
  readonly disposal: Disposal;
  /** Handlers are aborted then, by the monotonic clock. */
  readonly abortAtMs: number;
  /** Nothing is waited for any longer. */
  readonly endAtMs: number;
}

export type Redirection =
  /** It goes on; from `start` where the lease has no position. */
  | { readonly kind: 'same'; readonly start?: FeedStart }
  | { readonly kind: 'replaced'; readonly successors: readonly Acquired[]; readonly tokens: readonly string[] }
  | { readonly kind: 'barred'; readonly problem: HealthProblem; readonly message: string };

export interface TenureParts extends Ground {
  readonly settings: ProcessorSettings;
  readonly source: FeedSource;
  readonly makePump: MakePump;
  readonly observer: RangeObserver;
  readonly emit: EventSink;
  readonly health: Health;
  readonly rules: HostRules;
  readonly keeper: KeeperParts;
  /** Where the range begins when its lease has no position; resolves `now` to a position. */
  readonly firstStart: (lease: Acquired, signal: AbortSignal) => Promise<FeedStart>;
  /** The range or its position is not valid any more. */
  readonly redirect: (tenure: Tenure, why: PumpEnd, signal: AbortSignal) => Promise<Redirection>;
  /** Others cover the keys of the lease: what they do not cover gets leases, and it becomes a tombstone. False: none does any more. */
  readonly supersede: (tenure: Tenure) => Promise<readonly Acquired[] | undefined>;
  /** The range stands still until it is resumed, or does so no more. */
  readonly onHalted: () => void;
  /** The failure policy stops the whole group. */
  readonly onHaltAll: (token: string, error: unknown) => void;
  /** Aborts when the host has stopped: nothing is waited for then. */
  readonly life: AbortSignal;
  /** How often the group was resumed. */
  readonly turn: () => number;
  /** The owner before may have died of a change. */
  readonly isTakeover: boolean;
  readonly memory: (token: string, epoch: number, signal: AbortSignal) => PumpMemory;
}

export interface TenureEnd {
  readonly reason: CloseReason;
  readonly error: unknown;
  readonly to: string | undefined;
  readonly successors: readonly Acquired[];
  /** A handler of it still runs and does not obey. */
  readonly isHung: boolean;
}

export interface Halted {
  readonly atTurn: number;
  readonly reason: string;
}
