// What the older APIs tell a health monitor: what happened to which lease, and how bad it is.

import type { ProcessorEvent } from '../events.ts';
import { isProcessorError } from '../processor-error.ts';

export type HealthSeverity = 'Critical' | 'Error' | 'Informational';

export type MonitoredOperation =
  | 'AcquireLease'
  | 'ReleaseLease'
  | 'RenewLease'
  | 'ProcessChanges'
  | 'ReadChangeFeed'
  | 'Other';

export interface HealthMonitoringRecord {
  readonly severity: HealthSeverity;
  readonly operation: MonitoredOperation;
  readonly leaseToken: string | undefined;
  readonly message: string;
  readonly error: unknown;
}

export interface HealthMonitor {
  inspect(record: HealthMonitoringRecord): void;
}

export function recordOf(event: ProcessorEvent): HealthMonitoringRecord | undefined {
  switch (event.type) {
    case 'lease.acquired':
      return record('Informational', 'AcquireLease', event.leaseToken, `acquired, it was ${event.from}`);
    case 'lease.released':
      return record('Informational', 'ReleaseLease', event.leaseToken, `released: ${event.reason}`);
    case 'lease.lost':
      return record('Error', 'RenewLease', event.leaseToken, `lost to ${event.to ?? 'nobody'}`);
    case 'batch.failed':
      return record('Error', 'ProcessChanges', event.leaseToken, `attempt ${event.attempt} failed`, event.error);
    case 'health':
      return record(
        severityOf(event.problem),
        isOfObserver(event.error) ? 'ProcessChanges' : operationOf(event.problem),
        event.leaseToken,
        event.message,
        event.error,
      );
    default:
      return undefined;
  }
}

type Problem = Extract<ProcessorEvent, { type: 'health' }>['problem'];

const critical: ReadonlySet<Problem> = new Set([
  'halted',
  'handler-hung',
  'instance-taken',
  'source-replaced',
  'position-refused',
]);

function severityOf(problem: Problem): HealthSeverity {
  return critical.has(problem) ? 'Critical' : 'Error';
}

/** An own partition processor calls the observer itself, and its error looks like one of the feed. */
function isOfObserver(error: unknown): boolean {
  return isProcessorError(error) && error.code === 'handler-failed';
}

function operationOf(problem: Problem): MonitoredOperation {
  if (problem.startsWith('handler-')) return 'ProcessChanges';
  if (problem === 'feed-failing' || problem === 'position-refused') return 'ReadChangeFeed';
  return problem === 'lease-store-failing' ? 'RenewLease' : 'Other';
}

function record(
  severity: HealthSeverity,
  operation: MonitoredOperation,
  leaseToken: string | undefined,
  message: string,
  error?: unknown,
): HealthMonitoringRecord {
  return { severity, operation, leaseToken, message, error };
}
