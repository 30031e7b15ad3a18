// An answer that is no success, as an error with a code of the closed list. What the status means is decided here, once.

import type { ErrorCode } from '@tidemark/model';
import { DatabaseError, isDatabaseError } from '@tidemark/model';

export interface RestErrorFacts {
  readonly status: number;
  readonly substatus?: number | undefined;
  readonly activityId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Nothing in the answer is of the protocol: another program answers there, or a proxy. */
  readonly isForeign?: boolean | undefined;
}

export class RestError extends DatabaseError {
  readonly status: number;
  readonly substatus: number | undefined;
  readonly activityId: string | undefined;
  readonly isForeign: boolean;

  constructor(code: ErrorCode, message: string, facts: RestErrorFacts) {
    super(code, message, { retryAfterMs: facts.retryAfterMs });
    this.name = 'RestError';
    this.status = facts.status;
    this.substatus = facts.substatus;
    this.activityId = facts.activityId;
    this.isForeign = facts.isForeign === true;
  }
}

export function isRestError(x: unknown): x is RestError {
  return isDatabaseError(x) && x.name === 'RestError';
}

/** `isWrite`: whether the request might have changed something, which makes a timeout an open question. */
export function codeOfStatus(
  status: number,
  substatus: number | undefined,
  isWrite: boolean,
  message: string = '',
): ErrorCode {
  switch (status) {
    case 400:
      if (substatus === 1001) return 'partition-key-mismatch';
      if (substatus === 1024) return 'container-mismatch';
      return message.includes(retentionSentence) ? 'retention-passed' : 'bad-request';
    case 404:
      if (substatus === 1002) return 'session-not-available';
      return substatus === 1003 ? 'container-not-found' : 'not-found';
    case 408:
      return isWrite ? 'outcome-unknown' : 'request-timeout';
    default:
      return codeOf[status] ?? (status >= 500 ? 'internal' : 'bad-request');
  }
}

/** Of an answer that is none of the protocol: that something is not there, is not there any more or cannot be done says nothing of ours. */
export function codeOfForeign(status: number, isWrite: boolean): ErrorCode {
  return status === 404 || status === 405 || status === 410 ? 'bad-request' : codeOfStatus(status, undefined, isWrite);
}

/** Wire: nothing but this sentence tells the case from any other 400 (wire 5). */
const retentionSentence = 'You must read the change feed from within the retention period.';

const codeOf: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  405: 'method-not-allowed',
  409: 'conflict',
  410: 'range-gone',
  412: 'precondition-failed',
  413: 'document-too-large',
  424: 'failed-dependency',
  429: 'too-many-requests',
  431: 'bad-request',
  // Wire: a write that lost a race inside the service and is to be sent again (wire 5).
  449: 'unavailable',
  501: 'not-supported',
  503: 'unavailable',
  507: 'disk-full',
};

/** What the body of an error says: in the protocol a code and a sentence. Nothing where it is not JSON. */
export function reasonIn(body: string): { readonly code?: string; readonly message?: string } {
  try {
    const { code, message }: { code?: unknown; message?: unknown } = Object(JSON.parse(body));
    const isText = (x: unknown): x is string => typeof x === 'string' && x !== '';
    return { ...(isText(code) && { code }), ...(isText(message) && { message }) };
  } catch {
    return {};
  }
}

/** The sentence of an error body; one that has none is cut short. */
export function messageOf(status: number, body: string): string {
  const { message } = reasonIn(body);
  if (message !== undefined) return message;
  const shown = body.trim().slice(0, shownCharsMax);
  return shown === '' ? `The server answered ${status} and gave no reason.` : `The server answered ${status}: ${shown}`;
}

export function foreignMessage(status: number, endpoint: string): string {
  return `The answer (${status}) of ${endpoint} is none of Cosmos DB: something else answers there, another program or a proxy.`;
}

const shownCharsMax = 200;
