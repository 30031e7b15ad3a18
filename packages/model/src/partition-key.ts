// The values of a partition key: taken from a document, read from a request header, written as bytes.

import { DatabaseError, isDatabaseError } from './errors.ts';
import { decodeJsonKeys, encodeJsonKeys } from './json-key.ts';
import { partitionKeyBytesMax } from './limits.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';
import { defaultPartitionKeyPath } from './partition-key-definition.ts';
import { utf8Length } from './utf8.ts';

/** `undefined` is an absent value, `{}` on the wire. A number is finite and never -0. */
export type PartitionKeyComponent = string | number | boolean | null | undefined;
export type PartitionKeyValues = readonly PartitionKeyComponent[];

/** A path as `parsePartitionKeyPath` gives it. */
export type ParsedPartitionKeyPath = readonly string[];

/** The values at the paths of a document. Only own properties count, and arrays are not walked into. */
export function extractPartitionKey(
  document: unknown,
  parsedPaths: readonly ParsedPartitionKeyPath[],
): PartitionKeyValues {
  const values: PartitionKeyComponent[] = [];
  for (const path of parsedPaths) values.push(partitionKeyComponent(document, path, 0));
  return values;
}

/** The value at a path of a document, of which the first `depth` names have been followed already. */
export function partitionKeyComponent(
  from: unknown,
  path: ParsedPartitionKeyPath,
  depth: number,
): PartitionKeyComponent {
  let value = from;
  for (let i = depth; i < path.length; i += 1) {
    const name = path[i] as string;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (isComponent(value)) return normalised(value);
  // Wire: {} is no value, in a document as in the header: the JavaScript client sends the one for the other.
  if (isEmptyObject(value)) return undefined;
  throw new DatabaseError(
    'invalid-partition-key',
    `The partition key at /${path.join('/')} must be a string, a number, true, false or null, not ${describe(value)}.`,
  );
}

/** The values that a caller gives, checked. Throws `invalid-partition-key`. */
export function partitionKeyValues(given: readonly unknown[]): PartitionKeyValues {
  return given.map((component) => componentOf(component));
}

export interface ParsePartitionKeyOptions {
  /** Accept fewer components than the definition has paths. */
  readonly prefix?: boolean;
}

/**
 * Reads the JSON array of a partition key header.
 *
 * Wire: `[{}]` is the absent value; `[]` is the same on a container that has no key of its own (wire 7). Fewer components
 * than paths are refused for operations on one document, `["a",{}]` is a full key.
 */
export function parsePartitionKeyHeader(
  text: string,
  definition: PartitionKeyDefinition,
  options: ParsePartitionKeyOptions = {},
): PartitionKeyValues {
  const values = plainString(text) ?? parseJsonArray(text).map((component) => componentOf(component));
  const count = definition.paths.length;
  if (values.length === 0 && options.prefix !== true && isKeyless(definition)) return [undefined];
  if (values.length > count || (values.length < count && options.prefix !== true)) {
    // Wire: @azure/cosmos leaves out what cannot be a key, and its user never sees the header.
    const leftOut =
      values.length < count
        ? ' An SDK leaves out what is an object or an array in the document: neither can be a key.'
        : '';
    throw new DatabaseError(
      'invalid-partition-key',
      `The partition key has ${values.length} component(s), but the container's definition has ${count} path(s): ${definition.paths.join(', ')}.${leftOut}`,
    );
  }
  checkPartitionKeySize(values);
  return values;
}

/** The header text as the clients send it: JSON with everything beyond ASCII escaped. */
export function formatPartitionKeyHeader(values: PartitionKeyValues): string {
  const text = JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Refuses values that are too long, whatever the version (wire 7). Keys taken from a document are not checked otherwise. */
export function checkPartitionKeySize(values: PartitionKeyValues): void {
  for (const value of values) {
    // Three bytes a unit at most: short strings need no counting.
    if (typeof value !== 'string' || value.length * 3 <= partitionKeyBytesMax) continue;
    const bytes = utf8Length(value);
    if (bytes <= partitionKeyBytesMax) continue;
    throw new DatabaseError(
      'invalid-partition-key',
      `The partition key value has ${bytes} bytes; at most ${partitionKeyBytesMax} are allowed.`,
    );
  }
}

/** Injective and order-preserving: the components as in json-key.ts, one after the other. */
export function encodePartitionKeyBytes<Bytes extends Uint8Array = Uint8Array>(
  values: PartitionKeyValues,
  allocate?: (length: number) => Bytes,
): Bytes {
  return encodeJsonKeys(values, allocate);
}

export function decodePartitionKeyBytes(bytes: Uint8Array): PartitionKeyValues {
  const values = decodeJsonKeys(bytes);
  if (values.every(isComponent)) return values;
  throw new DatabaseError('corrupt', 'A stored partition key holds an array or an object.');
}

export function partitionKeyEquals(a: PartitionKeyValues, b: PartitionKeyValues): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** What most requests name: one string of characters that stand for themselves. */
function plainString(text: string): PartitionKeyValues | undefined {
  const end = text.length - 2;
  if (!text.startsWith('["') || !text.endsWith('"]') || end < 2) return undefined;
  for (let at = 2; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < space || unit === quote || unit === backslash) return undefined;
  }
  return [text.slice(2, end)];
}

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;

function parseJsonArray(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
    throw new DatabaseError(
      'invalid-partition-key',
      `The partition key must be a JSON array, not ${describe(parsed)}.`,
    );
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    throw new DatabaseError('invalid-partition-key', 'The partition key is not valid JSON.', { cause: error });
  }
}

function componentOf(value: unknown): PartitionKeyComponent {
  if (isComponent(value)) return normalised(value);
  if (isEmptyObject(value)) return undefined;
  const advice = typeof value === 'object' ? ' Give the value alone, without its name.' : '';
  throw new DatabaseError(
    'invalid-partition-key',
    `A partition key component must be a string, a number, true, false, null or {} for none, not ${describe(value)}.${advice}`,
  );
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function isComponent(value: unknown): value is PartitionKeyComponent {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      // JSON.parse gives Infinity for 1e999.
      return Number.isFinite(value);
    default:
      return value === null;
  }
}

function normalised(value: PartitionKeyComponent): PartitionKeyComponent {
  return value === 0 ? 0 : value;
}

function isKeyless(definition: PartitionKeyDefinition): boolean {
  return (
    definition.systemKey === true || (definition.paths.length === 1 && definition.paths[0] === defaultPartitionKeyPath)
  );
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  return typeof value === 'number' ? 'a number out of range' : `a ${typeof value}`;
}
