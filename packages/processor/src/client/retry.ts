// Which failures are worth a second try, and after what pause.
//
// 429 and 449 say that nothing was done: every request may be sent again. After a 503, a 408 or a broken connection nobody
// knows: only what may be done twice is repeated. A connection that was refused never carried the request.

import type { Environment } from '../environment.ts';
import { retryPauseMsMax, retryPauseMsMin } from '../limits.ts';

export type FailureKind = 'not-done' | 'maybe-done' | 'final';

export function failureOfStatus(status: number): FailureKind {
  if (status === 429 || status === 449) return 'not-done';
  return status === 503 || status === 408 ? 'maybe-done' : 'final';
}

const neverSentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** `code` is that of the connection's error. Certificates and malformed requests do not get better by repeating. */
export function failureOfConnection(code: string | undefined): FailureKind {
  if (code === undefined) return 'maybe-done';
  if (neverSentCodes.has(code)) return 'not-done';
  return isTrustError(code) || code.startsWith('ERR_') ? 'final' : 'maybe-done';
}

/** The server's certificate is not one that this process trusts. */
export function isTrustError(code: string | undefined): boolean {
  return code !== undefined && (/CERT|SELF_SIGNED|UNABLE_TO/.test(code) || code.startsWith('ERR_TLS_'));
}

/** The server's own word counts; else the pause doubles, spread so that many clients do not come back at once. */
export function pauseMs(attempt: number, retryAfterMs: number | undefined, environment: Environment): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const ceiling = Math.min(retryPauseMsMax, retryPauseMsMin * 2 ** attempt);
  return ceiling / 2 + (environment.random() * ceiling) / 2;
}
