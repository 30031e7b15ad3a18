// A patch: up to ten operations that change a document in place, all or none.
//
// Top-level members that no operation touches keep their bytes and their order; touched ones are written anew from their
// value, new ones come at the end. The result goes through the same door as any document of a client, so every limit holds.
//
// Wire: Azure documentation, "Partial document update in Azure Cosmos DB". An operation creates a member of something that
// exists and never the things above it (service message: "can only create a child object of an existing node").

import { Buffer } from 'node:buffer';
import { DatabaseError, isSystemProperty, memberSpans, unreachable } from '@tidemark/model';
import { memberName, readClientDocument } from './client-bytes.ts';
import type { ClientDocument, PatchOperation } from './command.ts';
import { arrayIndex, parsePointer, startsWithPath } from './json-pointer.ts';
import { checkPatchOperations } from './patch-body.ts';

/**
 * `stored` is complete JSON, with or without system members, as it was once accepted.
 * Throws DatabaseError: invalid-patch, and whatever readClientDocument finds wrong with the result.
 */
export function applyPatch(
  stored: Buffer,
  operations: readonly PatchOperation[],
  partitionKeyPaths: readonly (readonly string[])[],
): ClientDocument {
  const checked = checkPatchOperations(operations);
  const document = JSON.parse(stored.toString()) as Tree; // Stored documents are objects.
  const touched = new Set<string>();
  for (const operation of checked) {
    const path = parsePointer(operation.path);
    const from = operation.from === undefined ? path : parsePointer(operation.from);
    assertPatchable(path, operation.path, partitionKeyPaths);
    assertPatchable(from, operation.from ?? operation.path, partitionKeyPaths);
    touched.add(from[0]!).add(path[0]!);
    if (operation.op === 'move') moveValue(document, from, path, operation);
    else applyInPlace(document, path, operation, operation.op);
  }
  return readClientDocument(rebuild(stored, document, touched), { partitionKeyPaths });
}

type Tree = Record<string, unknown>;
type Parent = { readonly kind: 'object'; readonly node: Tree } | { readonly kind: 'array'; readonly node: unknown[] };

function applyInPlace(
  document: Tree,
  path: readonly string[],
  operation: PatchOperation,
  op: Exclude<PatchOperation['op'], 'move'>,
): void {
  const parent = parentOf(document, path, operation);
  const last = path[path.length - 1]!;
  switch (op) {
    case 'add':
      addValue(parent, last, detached(operation.value), operation);
      break;
    case 'set':
      setValue(parent, last, detached(operation.value), operation);
      break;
    case 'replace':
      if (!has(parent, last)) throw failed(operation, 'there is nothing at this path to replace');
      setValue(parent, last, detached(operation.value), operation);
      break;
    case 'remove':
      if (!has(parent, last)) throw failed(operation, 'there is nothing at this path to remove');
      removeValue(parent, last);
      break;
    case 'incr':
      setValue(parent, last, increment(parent, last, operation), operation);
      break;
    default:
      unreachable(op);
  }
}

/** Wire: `from` must exist, `path` may not be inside it, and what is at `path` is replaced (in an array: moved up). */
function moveValue(document: Tree, from: readonly string[], path: readonly string[], operation: PatchOperation): void {
  const source = parentOf(document, from, operation);
  const name = from[from.length - 1]!;
  if (!has(source, name)) throw failed(operation, `there is nothing at '${operation.from}' to move`);
  if (startsWithPath(path, from)) {
    if (path.length === from.length) return;
    throw failed(operation, 'a value cannot be moved into itself');
  }
  const value = getValue(source, name);
  removeValue(source, name);
  addValue(parentOf(document, path, operation), path[path.length - 1]!, value, operation);
}

function addValue(parent: Parent, name: string, value: unknown, operation: PatchOperation): void {
  if (parent.kind === 'object') defineOwn(parent.node, name, value);
  else parent.node.splice(insertAt(parent.node, name, operation), 0, value);
}

function setValue(parent: Parent, name: string, value: unknown, operation: PatchOperation): void {
  if (parent.kind === 'object') defineOwn(parent.node, name, value);
  else parent.node[insertAt(parent.node, name, operation)] = value;
}

/** Wire: an index may be at most the length of the array, which then grows by one; so it does for `-`. */
function insertAt(array: readonly unknown[], name: string, operation: PatchOperation): number {
  const index = name === '-' ? array.length : arrayIndex(name);
  if (index === undefined) throw failed(operation, `'${name}' is not an index of an array`);
  if (index > array.length) throw failed(operation, `the array has only ${array.length} elements`);
  return index;
}

function increment(parent: Parent, name: string, operation: PatchOperation): number {
  const by = operation.value as number; // checkPatchOperations lets nothing else through.
  if (!has(parent, name)) return by;
  const before = getValue(parent, name);
  if (typeof before !== 'number') throw failed(operation, 'the value at this path is not a number');
  const after = before + by;
  if (!Number.isFinite(after)) throw failed(operation, 'the sum is too large for a 64-bit floating point number');
  return after;
}

/** Adding to an object never goes through `=`: that would set the prototype where the name is `__proto__`. */
function defineOwn(node: Tree, name: string, value: unknown): void {
  Object.defineProperty(node, name, { value, writable: true, enumerable: true, configurable: true });
}

function removeValue(parent: Parent, name: string): void {
  if (parent.kind === 'object') delete parent.node[name];
  else parent.node.splice(Number(name), 1);
}

function has(parent: Parent, name: string): boolean {
  if (parent.kind === 'object') return Object.hasOwn(parent.node, name);
  const index = arrayIndex(name);
  return index !== undefined && index < parent.node.length;
}

function getValue(parent: Parent, name: string): unknown {
  return parent.kind === 'object' ? parent.node[name] : parent.node[Number(name)];
}

function parentOf(document: Tree, path: readonly string[], operation: PatchOperation): Parent {
  let parent: Parent = { kind: 'object', node: document };
  for (const name of path.slice(0, -1)) {
    const child: unknown = has(parent, name) ? getValue(parent, name) : undefined;
    if (Array.isArray(child)) parent = { kind: 'array', node: child };
    else if (typeof child === 'object' && child !== null) parent = { kind: 'object', node: child as Tree };
    else throw failed(operation, `there is no object or array '${name}' to go into; a patch creates no parents`);
  }
  return parent;
}

function assertPatchable(
  path: readonly string[],
  written: string,
  partitionKeyPaths: readonly (readonly string[])[],
): void {
  const name = path[0]!;
  if (name === 'id') throw new DatabaseError('invalid-patch', 'The id of a document cannot be patched.');
  if (isSystemProperty(name)) {
    throw new DatabaseError('invalid-patch', `The system property '${name}' cannot be patched.`);
  }
  for (const key of partitionKeyPaths) {
    if (startsWithPath(path, key) || startsWithPath(key, path)) {
      throw new DatabaseError(
        'invalid-patch',
        `The path '${written}' holds the partition key, which cannot be patched.`,
      );
    }
  }
}

/** A copy, so that two operations with the same object, or the caller's own, do not become one in the document. */
function detached(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value) ?? 'null') : value;
}

function rebuild(stored: Buffer, document: Tree, touched: ReadonlySet<string>): Buffer {
  const added = new Set(touched);
  const members: Buffer[] = [];
  const spans = memberSpans(stored, stored.indexOf('{'), stored.length);
  // System members keep their places, and what is new comes before those at the end.
  while (spans.length > 0 && isSystemProperty(memberName(stored, spans.at(-1)!))) spans.pop();
  for (const span of spans) {
    const name = memberName(stored, span);
    added.delete(name);
    if (!touched.has(name)) members.push(stored.subarray(span.segmentStart, span.segmentEnd));
    else if (Object.hasOwn(document, name)) members.push(memberBytes(name, document[name]));
  }
  for (const name of added) {
    if (Object.hasOwn(document, name)) members.push(memberBytes(name, document[name]));
  }
  const parts = members.flatMap((member, i) => [i === 0 ? openBrace : comma, member]);
  return Buffer.concat([...parts, closeBrace]);
}

function memberBytes(name: string, value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

function failed(operation: PatchOperation, why: string): DatabaseError {
  return new DatabaseError(
    'invalid-patch',
    `The patch operation '${operation.op}' at '${operation.path}' failed: ${why}.`,
  );
}

const openBrace: Buffer = Buffer.from('{');
const comma: Buffer = Buffer.from(',');
const closeBrace: Buffer = Buffer.from('}');
