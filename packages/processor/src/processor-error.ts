// What goes wrong in a processor and is nobody else's error. Errors of endpoints are DatabaseErrors and pass through.

import { errorCharsMax } from './limits.ts';

export type ProcessorErrorCode =
  // Starting.
  | 'invalid-option'
  | 'mode-mismatch'
  | 'group-mismatch'
  | 'group-unknown'
  | 'instance-taken'
  | 'source-replaced'
  // Holding a lease.
  | 'lease-lost'
  | 'fenced'
  // Handling changes.
  | 'handler-failed'
  | 'handler-hung'
  | 'halted'
  | 'dead-letter-failed'
  // Stopping.
  | 'stopped';

/** What each code means, one line each. The reference page is made from it. */
export const processorErrorMeanings: Readonly<Record<ProcessorErrorCode, string>> = {
  'invalid-option': 'An option has a value that it cannot have, or contradicts another one.',
  'mode-mismatch': 'The leases were made for the other feed mode; a group reads in one mode for good.',
  'group-mismatch': 'Another processor, with another name or purpose, keeps its leases under the same prefix.',
  'group-unknown': 'There are no leases of a group of this name for the container: no processor of it has started yet.',
  'instance-taken': 'Another process runs under the same instance name and has taken over.',
  'source-replaced': 'The container was deleted and made anew: positions of the old one mean nothing in it.',
  'lease-lost': 'The range belongs to another host now; what was not checkpointed will be delivered there.',
  fenced: 'The lease could not be renewed in time, so this host gave it up before another may take it.',
  'handler-failed': 'The handler threw, or reported items that failed.',
  'handler-hung': 'The handler neither finished nor failed within its time, and did not obey its signal.',
  halted: 'The failure policy stopped the range or the group; nothing was skipped.',
  'dead-letter-failed':
    'An item that was to be parked could not be written to the dead letters, so its range stands still.',
  stopped: 'The processor was stopped.',
};

export class ProcessorError extends Error {
  readonly code: ProcessorErrorCode;

  constructor(code: ProcessorErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ProcessorError';
    this.code = code;
  }
}

/** By name and code: true for errors of another copy of this package too. */
export function isProcessorError(x: unknown, code?: ProcessorErrorCode): x is ProcessorError {
  if (!(x instanceof Error) || x.name !== 'ProcessorError' || !('code' in x)) return false;
  return code === undefined || x.code === code;
}

/** Where it was thrown; undefined when it does not say. */
export function stackOf(error: unknown): string | undefined {
  try {
    const stack: unknown = error instanceof Error ? error.stack : undefined;
    return typeof stack === 'string' ? stack.slice(0, errorCharsMax) : undefined;
  } catch {
    return undefined;
  }
}

/** What was thrown, as a text. Handlers throw anything: errors without a message, objects that cannot be shown. */
export function messageOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message : error;
    const shown = typeof text === 'object' && text !== null ? JSON.stringify(text) : String(text);
    return shown.slice(0, errorCharsMax);
  } catch {
    return 'Something was thrown that cannot be shown.';
  }
}
