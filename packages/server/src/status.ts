// The one table from error codes to the wire. It is total: a new code does not compile until it has its status.

import type { ErrorCode } from '@tidemark/model';

export interface Status {
  readonly status: number;
  /** Wire: where there is none the header is left out altogether; a client asserts that it is absent (wire 5). */
  readonly substatus?: number;
  /** The `code` of the error body. */
  readonly name: string;
}

const badRequest: Status = { status: 400, name: 'BadRequest' };
const unavailable: Status = { status: 503, name: 'ServiceUnavailable' };
const internal: Status = { status: 500, name: 'InternalServerError' };
// Wire: every 410 of a feed read must say 1002, or clients start that range anew (wire 11). An id that was never there is
// most often that of a container of the same name that is gone, and has the same cure: look at the ranges again.
const rangeGone: Status = { status: 410, substatus: 1002, name: 'Gone' };
const ownerNotFound: Status = { status: 404, substatus: 1003, name: 'NotFound' };

export const statusOf: Readonly<Record<ErrorCode, Status>> = {
  'bad-request': badRequest,
  unauthorized: { status: 401, name: 'Unauthorized' },
  forbidden: { status: 403, name: 'Forbidden' },
  'method-not-allowed': { status: 405, name: 'MethodNotAllowed' },
  'request-timeout': { status: 408, name: 'RequestTimeout' },
  'unsupported-encoding': { status: 415, name: 'UnsupportedMediaType' },
  'not-supported': { status: 501, name: 'NotImplemented' },

  'invalid-id': badRequest,
  'invalid-document': badRequest,
  'document-too-large': { status: 413, name: 'RequestEntityTooLarge' },
  'document-too-deep': badRequest,
  'invalid-definition': badRequest,
  'invalid-partition-key': badRequest,
  'partition-key-missing': badRequest,
  'partition-key-mismatch': { status: 400, substatus: 1001, name: 'BadRequest' },
  'invalid-patch': badRequest,
  'invalid-ttl': badRequest,
  'invalid-query': badRequest,
  'invalid-continuation': badRequest,
  'container-mismatch': { status: 400, substatus: 1024, name: 'BadRequest' },
  'batch-too-large': { status: 413, name: 'RequestEntityTooLarge' },
  // Wire: clients of bulk repeat such an operation in another request (wire 5).
  'batch-answer-too-large': { status: 413, substatus: 3402, name: 'RequestEntityTooLarge' },

  'not-found': { status: 404, name: 'NotFound' },
  'database-not-found': ownerNotFound,
  'container-not-found': ownerNotFound,
  'range-gone': rangeGone,
  'range-unknown': rangeGone,
  'session-not-available': { status: 404, substatus: 1002, name: 'NotFound' },

  conflict: { status: 409, name: 'Conflict' },
  'unique-key-violation': { status: 409, name: 'Conflict' },
  'precondition-failed': { status: 412, name: 'PreconditionFailed' },
  'failed-dependency': { status: 424, name: 'FailedDependency' },

  'retention-passed': badRequest,
  'history-off': badRequest,
  'history-rewritten': badRequest,

  'too-many-requests': { status: 429, substatus: 3200, name: '429' },
  // Wire: what clients take as "may have happened"; none of them repeats a write on it by itself.
  'outcome-unknown': { status: 408, name: 'RequestTimeout' },
  'read-only': unavailable,
  'disk-full': { status: 507, name: 'InsufficientStorage' },
  unavailable,

  corrupt: internal,
  'folder-in-use': internal,
  'folder-foreign': internal,
  'format-newer': internal,
  'format-older': internal,
  closed: unavailable,

  internal,
};
