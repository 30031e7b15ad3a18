// Why an observer of the older APIs is closed, in their words.

import { isRestError } from '@tidemark/client';
import { isDatabaseError } from '@tidemark/model';
import type { CloseReason } from '../observer.ts';
import { isProcessorError } from '../processor-error.ts';

export type ChangeFeedObserverCloseReason =
  /** The feed could not be read. */
  | 'Unknown'
  | 'Shutdown'
  /** The database or the collection was removed. */
  | 'ResourceGone'
  /** The lease expired, or another host has it. */
  | 'LeaseLost'
  /** The observer threw. */
  | 'ObserverError'
  /** The range was split or merged, or somebody removed the lease. */
  | 'LeaseGone'
  /** The endpoint had not come to where the session token says that the client has been. */
  | 'ReadSessionNotAvailable';

/** `error`: what failed in the range last, the feed or an observer that an own partition processor calls. */
export function closeReasonOf(reason: CloseReason, error: unknown): ChangeFeedObserverCloseReason {
  if (reason !== 'feed-failed') return reasons[reason];
  if (isProcessorError(error) && error.code === 'handler-failed') return 'ObserverError';
  if (isBehindSession(error)) return 'ReadSessionNotAvailable';
  return isDatabaseError(error) && goneCodes.has(error.code) ? 'ResourceGone' : 'Unknown';
}

/** Wire: 404 with substatus 1002 (wire 5). Sources tell it as something that passes, and keep the answer as its cause. */
export function isBehindSession(error: unknown): boolean {
  if (isRestError(error)) return error.code === 'session-not-available';
  const { code, substatus, cause }: { code?: unknown; substatus?: unknown; cause?: unknown } = Object(error);
  return (code === 404 && Number(substatus) === 1002) || (cause !== undefined && isBehindSession(cause));
}

const goneCodes: ReadonlySet<string> = new Set(['container-not-found', 'database-not-found', 'container-mismatch']);

const reasons: Readonly<Record<Exclude<CloseReason, 'feed-failed'>, ChangeFeedObserverCloseReason>> = {
  shutdown: 'Shutdown',
  paused: 'Shutdown',
  'lease-lost': 'LeaseLost',
  fenced: 'LeaseLost',
  'handed-over': 'LeaseLost',
  'range-gone': 'LeaseGone',
  'handler-failed': 'ObserverError',
  'lease-gone': 'LeaseGone',
};
