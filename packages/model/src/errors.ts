// Errors are data with a code. `DatabaseError` is for *operating* errors: what a caller, a disk or a client did, always with
// a code from the closed list below and a message that is safe to put on the wire and that a person can act on.
// `InvariantError` is for *programmer* errors and is never mapped to a 4xx. The HTTP status of a code is decided in one
// table of the server; nothing here knows HTTP.

export type ErrorCode =
  // Reading the request.
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'unsupported-encoding'
  | 'not-supported'
  // Checking what the request carries.
  | 'invalid-id'
  | 'invalid-document'
  | 'document-too-large'
  | 'document-too-deep'
  | 'invalid-definition'
  | 'invalid-partition-key'
  | 'partition-key-missing'
  | 'partition-key-mismatch'
  | 'invalid-patch'
  | 'invalid-ttl'
  | 'invalid-query'
  | 'invalid-continuation'
  | 'batch-too-large'
  | 'batch-answer-too-large'
  | 'container-mismatch'
  // Finding what the request names.
  | 'not-found'
  | 'database-not-found'
  | 'container-not-found'
  | 'range-gone'
  | 'range-unknown'
  | 'session-not-available'
  // Deciding a write.
  | 'conflict'
  | 'unique-key-violation'
  | 'precondition-failed'
  | 'failed-dependency'
  // Reading the feed.
  | 'retention-passed'
  | 'history-off'
  | 'history-rewritten'
  // Committing.
  | 'too-many-requests'
  | 'outcome-unknown'
  | 'read-only'
  | 'disk-full'
  | 'unavailable'
  // Opening and closing.
  | 'corrupt'
  | 'folder-in-use'
  | 'folder-foreign'
  | 'format-newer'
  | 'format-older'
  | 'closed'
  // Ours.
  | 'internal';

/** What each code means, one line each, in the order of the moments above. The reference page is generated from it. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  'bad-request': 'The request cannot be understood; sending it again will not help.',
  unauthorized: 'No credentials came with the request, or their signature does not match.',
  forbidden: 'The credentials are valid but do not allow this.',
  'method-not-allowed': 'The resource exists but does not know this verb.',
  'request-timeout': 'The request was not complete, or not answered, within its time limit.',
  'unsupported-encoding': 'The body is encoded in a way that is not read here, such as gzip.',
  'not-supported': 'The request is well formed and asks for something that is not built.',

  'invalid-id': 'The id or name is empty, too long, or has characters that cannot stand in a path.',
  'invalid-document': 'The body is not a JSON object that can be stored.',
  'document-too-large': 'The document is larger than a document may be.',
  'document-too-deep': 'The document nests deeper than a document may.',
  'invalid-definition': 'The definition of the database or container is not acceptable.',
  'invalid-partition-key': 'The partition key is not one that this container can have.',
  'partition-key-missing': 'The operation needs a partition key and none was given.',
  'partition-key-mismatch': 'The partition key given is not the one in the document.',
  'invalid-patch': 'A patch operation is malformed or cannot be applied to this document.',
  'invalid-ttl': 'A time to live is -1 or a whole number of seconds from 1 to 2147483647.',
  'invalid-query': 'The text of the query cannot be understood, or asks for what is not allowed.',
  'invalid-continuation': 'The continuation or feed etag was not made here, or for something else.',
  'batch-too-large': 'The batch has more operations or bytes than one transaction may.',
  'batch-answer-too-large':
    'What the operations of one request answer is too much for one answer; this one was not done.',
  'container-mismatch': 'The container of this name is not the one that the client means.',

  'not-found': 'The resource named does not exist.',
  'database-not-found': 'The database named does not exist.',
  'container-not-found': 'The container named does not exist.',
  'range-gone': 'The range was split or merged; its successors are in the detail.',
  'range-unknown': 'The container never had a range of this id.',
  'session-not-available': 'The state that the session token asks for is not here yet.',

  conflict: 'A resource of this id exists already.',
  'unique-key-violation': 'Another document of the same logical partition has these unique key values.',
  'precondition-failed': 'The etag or condition given does not hold for the stored document.',
  'failed-dependency': 'Another operation of the same transaction failed, so this one was not applied.',

  'retention-passed': 'The start position lies before the oldest version still kept.',
  'history-off': 'The container keeps no version history.',
  'history-rewritten': 'The feed position comes from a history that a restore has replaced.',

  'too-many-requests': 'More was asked than may be in flight; try again after the delay given.',
  'outcome-unknown': 'The write may or may not have been committed; read before writing again.',
  'read-only': 'The database accepts no writes at present.',
  'disk-full': 'There is no room left for the write.',
  unavailable: 'The database cannot serve this for the moment.',

  corrupt: 'Stored bytes fail their checksum or contradict each other.',
  'folder-in-use': 'Another process has the data folder open.',
  'folder-foreign': 'The folder holds files that are not a database.',
  'format-newer': 'The data folder was written by a newer version.',
  'format-older': 'The data folder was written by a version too old to be read.',
  closed: 'The database has been closed.',

  internal: 'A defect of the database itself.',
};

// The type of `errorMeanings` guarantees that its keys are the codes.
export const errorCodes: readonly ErrorCode[] = Object.freeze(Object.keys(errorMeanings) as ErrorCode[]);

export interface DatabaseErrorOptions {
  /** Facts for the log and for callers in the same process; never sent over the wire as they are. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}

export class DatabaseError extends Error {
  readonly code: ErrorCode;
  readonly detail: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: DatabaseErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'DatabaseError';
    this.code = code;
    this.detail = options.detail;
    this.retryAfterMs = options.retryAfterMs;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether the very same request, unchanged, may succeed a little later. */
  get isRetriable(): boolean {
    return retriableCodes.has(this.code);
  }
}

/** True for errors of any copy of this package in the process; `instanceof` is not, when npm installed two. */
export function isDatabaseError(x: unknown): x is DatabaseError {
  return typeof x === 'object' && x !== null && (x as Record<symbol, unknown>)[brand] === true;
}

/** A defect in the program, not in its input. */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

export function unreachable(x: never): never {
  throw new InvariantError(`A case was not handled: ${String(x)}`);
}

const brand: symbol = Symbol.for('tidemark.DatabaseError');

// 'outcome-unknown' is missing on purpose: repeating a write blindly could apply it twice. 'range-gone' too: the request
// must first be addressed to a successor.
const retriableCodes: ReadonlySet<ErrorCode> = new Set([
  'too-many-requests',
  'session-not-available',
  'request-timeout',
  'unavailable',
]);
