// Which failures are worth a second try, and after what pause.
//
// 429 and 449 say that nothing was done: every request may be sent again. After a 503, a 408 or a broken connection nobody
// knows: only what may be done twice is repeated. A connection that was refused never carried the request.

import { isLoopback } from '@tidemark/model';
import type { Environment } from './environment.ts';
import { retryPauseMsMax, retryPauseMsMin } from './limits.ts';

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

/** Why nobody was reached, and what to do where that is known. `reason` is the code of the connection's error, or its words without one. */
export function brokenMessage(endpoint: string, reason: string): string {
  if (isTrustError(reason)) {
    return `The certificate of ${endpoint} is not trusted (${reason}): name its authority in NODE_EXTRA_CA_CERTS.`;
  }
  return `${endpoint} cannot be reached: ${wordsOf(reason)}.${adviceOn(reason, endpoint)}`;
}

/** Codes of the system can be looked up; those of the client that is underneath say nothing to anybody. */
function wordsOf(reason: string): string {
  if (reason.startsWith('HPE_')) return 'what answers there does not speak HTTP';
  if (reason.startsWith('ERR_SSL_') || reason === 'EPROTO') {
    return 'what answers there does not speak HTTPS, or another version of it; perhaps http:// is meant';
  }
  return words[reason] ?? reason;
}

const words: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the connection was closed before the answer was there',
  UND_ERR_CONNECT_TIMEOUT: 'nobody has taken the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer has stopped before its end',
};

function adviceOn(reason: string, endpoint: string): string {
  if (reason === 'ENOTFOUND') return ' There is no machine of this name: look at how it is written.';
  if (reason !== 'ECONNREFUSED') return '';
  const isHere = URL.canParse(endpoint) && isLoopback(new URL(endpoint).hostname);
  return ` Is a server running there?${isHere ? ' npm start in the clone starts one.' : ''}`;
}

/** The server's own word counts; else the pause doubles, spread so that many clients do not come back at once. */
export function pauseMs(attempt: number, retryAfterMs: number | undefined, environment: Environment): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const ceiling = Math.min(retryPauseMsMax, retryPauseMsMin * 2 ** attempt);
  return ceiling / 2 + (environment.random() * ceiling) / 2;
}
