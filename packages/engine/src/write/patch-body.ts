// What a client sends to patch a document, checked as far as that goes without the document.

import { DatabaseError, documentDepthMax, patchOperationsMax } from '@tidemark/model';
import type { PatchOperation } from './command.ts';

export interface PatchBody {
  readonly operations: readonly PatchOperation[];
  /** SQL that begins with `from`. */
  readonly condition?: string;
}

/** Wire: `{"condition"?, "operations": [...]}` or the bare array of operations; the JavaScript SDK sends both. */
export function parsePatchBody(value: unknown): PatchBody {
  if (Array.isArray(value)) return { operations: checkPatchOperations(value) };
  if (!isObject(value)) throw invalid('A patch must be an object with "operations", or an array of operations.');
  const operations = checkPatchOperations(own(value, 'operations'));
  const condition = own(value, 'condition');
  if (condition === undefined || condition === null) return { operations };
  if (typeof condition !== 'string') throw invalid('The "condition" of a patch must be a string.');
  return { operations, condition };
}

/** The operations with their known members only; the number of them, their names and the types of their members hold. */
export function checkPatchOperations(value: unknown): PatchOperation[] {
  if (!Array.isArray(value)) throw invalid('The "operations" of a patch must be an array.');
  if (value.length === 0) throw invalid('A patch must have at least one operation.');
  if (value.length > patchOperationsMax) {
    throw invalid(`A patch may have at most ${patchOperationsMax} operations; this one has ${value.length}.`);
  }
  return value.map(checkOperation);
}

function checkOperation(operation: unknown): PatchOperation {
  if (!isObject(operation)) throw invalid('A patch operation must be an object with "op" and "path".');
  const op = own(operation, 'op');
  if (!isOp(op)) throw invalid(`The "op" of a patch operation must be one of ${[...ops].join(', ')}.`);
  const path = own(operation, 'path');
  if (typeof path !== 'string') throw invalid(`The "path" of the patch operation '${op}' must be a string.`);
  if (op === 'remove') return { op, path };
  if (op === 'move') {
    const from = own(operation, 'from');
    if (typeof from !== 'string') throw invalid(`The "from" of the patch operation 'move' must be a string.`);
    return { op, path, from };
  }
  const value = own(operation, 'value');
  if (value === undefined) throw invalid(`The patch operation '${op}' at '${path}' needs a "value".`);
  if (op === 'incr' && typeof value !== 'number') {
    throw invalid(`The "value" of the patch operation 'incr' at '${path}' must be a number.`);
  }
  assertStorable(value, path, 1);
  return { op, path, value };
}

/** Bounded before anything recursive sees the value: a body may nest far deeper than a document. */
function assertStorable(value: unknown, path: string, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid(`A number in the value for '${path}' is too large for a 64-bit floating point number.`);
  }
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
    throw invalid(`The value for '${path}' cannot be written as JSON.`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= documentDepthMax) {
    throw new DatabaseError('document-too-deep', `A document may nest at most ${documentDepthMax} levels deep.`);
  }
  for (const child of Object.values(value)) assertStorable(child, path, depth + 1);
}

const ops: ReadonlySet<string> = new Set(['add', 'set', 'replace', 'remove', 'incr', 'move']);

function isOp(op: unknown): op is PatchOperation['op'] {
  return typeof op === 'string' && ops.has(op);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function invalid(message: string): DatabaseError {
  return new DatabaseError('invalid-patch', message);
}
