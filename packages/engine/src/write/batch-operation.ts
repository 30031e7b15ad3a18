// The operations of a batch as an embedder gives them, checked by name: a misspelt condition must not be a write without one.

import { batchOperationsMax, DatabaseError, documentBytesMax, isDatabaseError } from '@tidemark/model';
import type { PatchOperation } from './command.ts';
import { tooManyOperations } from './decide.ts';

/** JSON text, its bytes, or an object to be written as JSON. Bytes are handed over: the answer to the write shows them, too. */
export type DocumentInput = string | Uint8Array | object;

export type BatchOperation =
  | { readonly create: DocumentInput }
  | { readonly upsert: DocumentInput; readonly ifMatch?: string }
  | { readonly replace: DocumentInput; readonly ifMatch?: string }
  | {
      readonly patch: string;
      readonly operations: readonly PatchOperation[];
      readonly condition?: string;
      readonly ifMatch?: string;
    }
  | { readonly delete: string; readonly ifMatch?: string }
  | { readonly read: string };

export type WriteKind = 'create' | 'upsert' | 'replace';
type OperationKind = WriteKind | 'patch' | 'delete' | 'read';

/** An operation with all that any of them has. */
interface Given extends Readonly<Partial<Record<OperationKind, unknown>>> {
  readonly operations?: unknown;
  readonly condition?: unknown;
  readonly ifMatch?: string;
}

/** Its one name. Members that are undefined are not there. Throws `bad-request`. */
export function kindOfOperation(operation: BatchOperation): OperationKind {
  if (typeof operation !== 'object' || operation === null) throw notOne('none');
  const given: Given = operation;
  let kind: OperationKind | undefined;
  for (const name in given) {
    if (given[name as keyof Given] === undefined) continue;
    if (isKind(name)) {
      if (kind !== undefined) throw notOne(`"${kind}" and "${name}" together`);
      kind = name;
    } else if (name !== 'ifMatch' && name !== 'operations') throw unknownMember(name);
  }
  if (kind === undefined) throw notOne('none');
  if (given.ifMatch !== undefined) {
    if (kind === 'create' || kind === 'read') throw unknownMember('ifMatch', kind);
    checkEtag('ifMatch', given.ifMatch);
  }
  if (given.operations !== undefined && kind !== 'patch') throw unknownMember('operations', kind);
  if (given.condition !== undefined && kind !== 'patch') throw unknownMember('condition', kind);
  return kind;
}

/** Of a condition that a caller gives. */
export function checkEtag(name: string, etag: unknown): void {
  if (etag === undefined || typeof etag === 'string') return;
  throw new DatabaseError(
    'bad-request',
    `${name} is an etag, or "*", and left out where there is none; not ${JSON.stringify(etag)}.`,
  );
}

export function isWrite(kind: OperationKind): kind is WriteKind {
  return kind === 'upsert' || kind === 'create' || kind === 'replace';
}

export function inputOf(operation: BatchOperation, kind: WriteKind): DocumentInput {
  return (operation as Record<WriteKind, DocumentInput>)[kind]; // As `kindOfOperation` has seen.
}

export function ifMatchOf(operation: BatchOperation): string | undefined {
  return (operation as Given).ifMatch;
}

/**
 * The operations of a batch whose turn comes later. The bytes are the engine's; the operations are the caller's, who may use them again.
 * Lists side by side: an object for each would be all that the collector carries about for a batch that waits.
 */
export interface LateWrites {
  readonly kinds: readonly WriteKind[];
  readonly documents: readonly Uint8Array[];
  /** Undefined: there is none among them. */
  readonly ifMatches: readonly (string | undefined)[] | undefined;
  readonly bytes: number;
}

/** Of what a caller gives. */
export function checkOperations(operations: readonly BatchOperation[]): void {
  if (!Array.isArray(operations) || operations.length === 0)
    throw new DatabaseError('bad-request', 'A batch is a partition key and a list of operations, at least one.');
  if (operations.length > batchOperationsMax)
    throw new DatabaseError('batch-too-large', tooManyOperations(operations.length));
}

/**
 * Undefined where the documents of a batch have to be read at once: one is given in another form than bytes, or is so large that it can
 * only be refused, and must not wait for that.
 */
export function lateWritesOf(operations: readonly BatchOperation[]): LateWrites | undefined {
  const kinds = new Array<WriteKind>(operations.length);
  const documents = new Array<Uint8Array>(operations.length);
  let ifMatches: (string | undefined)[] | undefined;
  let bytes = 0;
  for (let i = 0; i < operations.length; i += 1) {
    const operation = operations[i] as BatchOperation;
    const kind = kindAt(i, operation);
    const document = isWrite(kind) ? inputOf(operation, kind) : undefined;
    if (!isWrite(kind) || !(document instanceof Uint8Array) || document.length > documentBytesMax) return undefined;
    kinds[i] = kind;
    documents[i] = document;
    bytes += document.length;
    const ifMatch = ifMatchOf(operation);
    if (ifMatch === undefined) continue;
    ifMatches ??= new Array<string | undefined>(operations.length).fill(undefined);
    ifMatches[i] = ifMatch;
  }
  return { kinds, documents, ifMatches, bytes };
}

/** What `make` gives of each; what is wrong with one says which one that is. */
export function ofEach<T, Made>(list: readonly T[], make: (one: T, i: number) => Made): Made[] {
  const made = new Array<Made>(list.length);
  let i = 0;
  try {
    for (; i < list.length; i += 1) made[i] = make(list[i] as T, i);
  } catch (error) {
    throw wrongAt(i, error);
  }
  return made;
}

function kindAt(i: number, operation: BatchOperation): OperationKind {
  try {
    return kindOfOperation(operation);
  } catch (error) {
    throw wrongAt(i, error);
  }
}

function wrongAt(i: number, error: unknown): unknown {
  if (!isDatabaseError(error)) return error;
  const { code, message, detail } = error;
  return new DatabaseError(code, `operations[${i}]: ${message}`, { cause: error, detail });
}

function isKind(name: string): name is OperationKind {
  switch (name) {
    case 'create':
    case 'upsert':
    case 'replace':
    case 'patch':
    case 'delete':
    case 'read':
      return true;
    default:
      return false;
  }
}

const names = 'create, upsert, replace, patch, delete and read';

function notOne(given: string): DatabaseError {
  return new DatabaseError('bad-request', `An operation of a batch is one of ${names}; this one is ${given}.`);
}

function unknownMember(name: string, kind?: OperationKind): DatabaseError {
  const what =
    kind === undefined ? `An operation of a batch is one of ${names}, some with ifMatch; it` : `"${kind}" of a batch`;
  return new DatabaseError('bad-request', `${what} has no member "${name}".`);
}
