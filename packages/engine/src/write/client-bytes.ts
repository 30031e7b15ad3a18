// From what a client sent to what may be stored: checked, cleaned of system members, otherwise byte for byte the client's.
//
// Number literals, property order and white space inside survive, because a document is never written anew from its parsed
// value: members that may not stay are cut out of the bytes. The parsed value serves keys and checks only.
//
// Most documents have nothing to cut out: a scanner proves it in one pass over the bytes, and they are never parsed unless
// somebody asks for their value. All others are read thoroughly, with JSON.parse as the judge.

import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import type { MemberSpan, PartitionKeyComponent, PartitionKeyValues } from '@tidemark/model';
import {
  DatabaseError,
  documentBytesMax,
  documentDepthMax,
  extractPartitionKey,
  hasOverflow,
  isSystemProperty,
  memberSpans,
  partitionKeyComponent,
  scanObject,
  validateDocumentId,
  validateTtl,
} from '@tidemark/model';
import type { ClientDocument } from './command.ts';
import { ObjectScanner } from './object-scanner.ts';
import type { SystemPlace } from './system-places.ts';
import { placedProperties, placesThatMatter } from './system-places.ts';

export interface ClientBytesOptions {
  /** Paths whose strings must be well-formed Unicode, because they are hashed and compared as UTF-8. */
  readonly partitionKeyPaths: readonly (readonly string[])[];
}

/** Reads the documents of one container. */
export class ClientReader {
  readonly #options: ClientBytesOptions;
  readonly #scanner: ObjectScanner;
  /** For each partition key path the number of its first name among those the scanner looks for. */
  readonly #heads: readonly number[];

  constructor(options: ClientBytesOptions) {
    const names = [...new Set(['id', 'ttl', ...options.partitionKeyPaths.map((path) => path[0] as string)])];
    this.#options = options;
    this.#scanner = new ObjectScanner(names, documentDepthMax);
    this.#heads = options.partitionKeyPaths.map((path) => names.indexOf(path[0] as string));
  }

  /** As readClientDocument, only faster, above all where the partition key is known: one that is the same is not made again. */
  read(input: Uint8Array | string | object, knownKey?: PartitionKeyValues): ClientDocument {
    const bytes = toBytes(input);
    const from = skipLeading(bytes);
    const to = skipTrailing(bytes, from);
    const isAccepted = to - from <= documentBytesMax && this.#scanner.accepts(bytes, from, to);
    if (!isAccepted || !(this.#scanner.isAscii || isUtf8(bytes))) return readClientDocument(bytes, this.#options);
    const encoding = this.#scanner.isAscii ? 'latin1' : 'utf8';
    const partitionKey = this.#hasKey(knownKey, bytes) ? knownKey : this.#partitionKey(bytes, encoding);
    const id = checkedId(this.#member(idName, bytes, encoding));
    const ttl = checkedTtl(this.#member(ttlName, bytes, encoding));
    const isWhole = from === 0 && to === bytes.length;
    return new ScannedDocument(id, isWhole ? bytes : bytes.subarray(from, to), ttl, partitionKey);
  }

  /** Whether these are the values at the partition key paths: false where that takes more than a look at the bytes. */
  #hasKey(values: PartitionKeyValues | undefined, bytes: Buffer): values is PartitionKeyValues {
    if (values === undefined || this.#scanner.hasEscapes) return false;
    for (let i = 0; i < this.#heads.length; i += 1) {
      const value = values[i];
      const head = this.#heads[i] as number;
      const start = this.#scanner.starts[head] as number;
      if (typeof value !== 'string' || start < 0 || (this.#options.partitionKeyPaths[i]?.length ?? 0) > 1) return false;
      if (!isQuoted(value, bytes, start, this.#scanner.ends[head] as number)) return false;
    }
    return values.length === this.#heads.length;
  }

  #partitionKey(bytes: Buffer, encoding: 'latin1' | 'utf8'): PartitionKeyValues {
    const values = new Array<PartitionKeyComponent>(this.#heads.length);
    for (let i = 0; i < this.#heads.length; i += 1) {
      const path = this.#options.partitionKeyPaths[i] as readonly string[];
      values[i] = partitionKeyComponent(this.#member(this.#heads[i] as number, bytes, encoding), path, 1);
    }
    assertWellFormed(values);
    return values;
  }

  /** The value of a member that the scanner has found; undefined where there is none. */
  #member(name: number, bytes: Buffer, encoding: 'latin1' | 'utf8'): unknown {
    const start = this.#scanner.starts[name] as number;
    if (start < 0) return undefined;
    const end = this.#scanner.ends[name] as number;
    const isPlain = bytes[start] === quote && !this.#scanner.hasEscapes;
    if (isPlain) return bytes.toString(encoding, start + 1, end - 1);
    return JSON.parse(bytes.toString(encoding, start, end)) as unknown;
  }
}

/** Whether bytes [start, end) are this text, of ASCII, in quotes. */
function isQuoted(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== text.length + 2 || bytes[start] !== quote) return false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || unit !== bytes[start + 1 + i]) return false;
  }
  return true;
}

class ScannedDocument implements ClientDocument {
  readonly id: string;
  /** The whole object. */
  readonly bytes: Buffer;
  readonly ttl: number | undefined;
  readonly partitionKey: PartitionKeyValues;
  #value: Readonly<Record<string, unknown>> | undefined;

  constructor(id: string, bytes: Buffer, ttl: number | undefined, partitionKey: PartitionKeyValues) {
    this.id = id;
    this.bytes = bytes;
    this.ttl = ttl;
    this.partitionKey = partitionKey;
  }

  get openLength(): number {
    return this.bytes.length - 1;
  }

  get openBytes(): Buffer {
    return this.bytes.subarray(0, this.openLength);
  }

  get places(): undefined {
    return undefined;
  }

  get value(): Readonly<Record<string, unknown>> {
    this.#value ??= JSON.parse(this.bytes.toString()) as Record<string, unknown>; // An object, as the scanner saw.
    return this.#value;
  }
}

/**
 * The result shares memory with bytes given as a Uint8Array: the caller hands them over and must not change them.
 * Throws DatabaseError: invalid-document, invalid-id, invalid-ttl, document-too-large, document-too-deep.
 */
export function readClientDocument(input: Uint8Array | string | object, options: ClientBytesOptions): ClientDocument {
  const bytes = toBytes(input);
  const from = skipLeading(bytes);
  const to = skipTrailing(bytes, from);
  if (to - from > inputBytesMax) throw tooLarge(to - from);
  if (bytes[from] !== openBrace) throw invalid('A document must be a JSON object.');
  const facts = scanObject(bytes, from, to, documentDepthMax);
  if (facts.isTooDeep) {
    throw new DatabaseError('document-too-deep', `A document may nest at most ${documentDepthMax} levels deep.`);
  }
  const value = parse(bytes, from, to);
  if (facts.hasSuspectNumber && hasOverflow(bytes, from, to)) {
    throw invalid('A number in the document is too large for a 64-bit floating point number.');
  }

  let openBytes = bytes.subarray(from, to - 1);
  let places: readonly SystemPlace[] | undefined;
  const hasDuplicates = facts.memberCount !== Object.keys(value).length;
  if (facts.hasSuspectName || hasDuplicates) {
    const spans = memberSpans(bytes, from, to);
    const fates = dropMembers(bytes, spans, value, hasDuplicates);
    openBytes = cutMembers(bytes, from, spans, fates);
    places = placesThatMatter(placesOf(spans, fates), openBytes.length);
  }
  // The limit is for what is stored, so that a document of the full size can be read and sent back with system members.
  if (openBytes.length + 1 > documentBytesMax) throw tooLarge(openBytes.length + 1);
  const partitionKey = extractPartitionKey(value, options.partitionKeyPaths);
  assertWellFormed(partitionKey);
  const id = checkedId(Object.hasOwn(value, 'id') ? value.id : undefined);
  const ttl = checkedTtl(Object.hasOwn(value, 'ttl') ? value.ttl : undefined);
  return { id, openBytes, bytes: openBytes, openLength: openBytes.length, places, value, ttl, partitionKey };
}

/** The decoded name of a member; escapes are the exception, so JSON.parse is asked only about those. */
export function memberName(bytes: Buffer, span: MemberSpan): string {
  const text = bytes.toString('utf8', span.nameStart + 1, span.nameEnd - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text; // A JSON string decodes to a string.
}

/** Room beyond the limit for what will be cut out: system members that come back on a replace, indentation around them. */
const inputBytesMax = documentBytesMax + 64 * 1024;

const loneSurrogate = 'it has a surrogate without its pair';
const underscore = 0x5f;
const backslash = 0x5c;
const openBrace = 0x7b;
const quote = 0x22;
/** Of the names that the scanner looks for. */
const idName = 0;
const ttlName = 1;
const openBraceBytes: Buffer = Buffer.from('{');
const commaBytes: Buffer = Buffer.from(',');

function toBytes(input: Uint8Array | string | object): Buffer {
  if (Buffer.isBuffer(input)) return input;
  if (input instanceof Uint8Array) return Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (typeof input === 'string') {
    if (!isWellFormed(input)) throw invalid(`The document is not well-formed Unicode: ${loneSurrogate}.`);
    return Buffer.from(input);
  }
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) {
    throw invalid('The bytes of a document are given as a Buffer or another Uint8Array.');
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch (cause) {
    throw invalid('The document cannot be written as JSON (a cycle, a BigInt, or far too deep).', cause);
  }
  if (text === undefined) throw invalid('A document must be a JSON object.');
  return Buffer.from(text);
}

function skipLeading(bytes: Buffer): number {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let from = hasByteOrderMark ? 3 : 0;
  while (isWhiteSpace(bytes[from])) from += 1;
  return from;
}

function skipTrailing(bytes: Buffer, from: number): number {
  let to = bytes.length;
  while (to > from && isWhiteSpace(bytes[to - 1])) to -= 1;
  return to;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function parse(bytes: Buffer, from: number, to: number): Record<string, unknown> {
  // Latin-1 is decoded faster and is the same where there is nothing but ASCII.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  if (encoding === 'utf8' && !isUtf8(bytes)) throw invalid('The document is not valid UTF-8.');
  try {
    // The text begins with a brace, so that whatever parses is an object.
    return JSON.parse(bytes.toString(encoding, from, to)) as Record<string, unknown>;
  } catch (cause) {
    throw invalid(`The document is not valid JSON: ${(cause as SyntaxError).message}`, cause); // JSON.parse throws no other.
  }
}

/** What becomes of a member: it stays or goes, or is a system member, by its name, that goes and leaves its place. */
type Fate = true | false | { readonly name: string };

/**
 * Which members stay: no system members, and of members with equal names the last. System members leave the value, too.
 * Backwards, because V8 keeps an object fast only while its youngest property is deleted, and they come back at the end.
 */
function dropMembers(
  bytes: Buffer,
  spans: readonly MemberSpan[],
  value: Record<string, unknown>,
  hasDuplicates: boolean,
): Fate[] {
  const fates = new Array<Fate>(spans.length).fill(true);
  const later = new Set<string>();
  for (let i = spans.length - 1; i >= 0; i -= 1) {
    const span = spans[i]!;
    if (!hasDuplicates && bytes[span.nameStart + 1] !== underscore && !hasEscape(bytes, span)) continue;
    const name = memberName(bytes, span);
    if (isSystemProperty(name)) {
      delete value[name];
      fates[i] = placedProperties.includes(name) && !later.has(name) ? { name } : false;
    } else if (hasDuplicates) fates[i] = !later.has(name);
    if (hasDuplicates) later.add(name);
  }
  return fates;
}

function hasEscape(bytes: Buffer, span: MemberSpan): boolean {
  for (let i = span.nameStart; i < span.nameEnd; i += 1) if (bytes[i] === backslash) return true;
  return false;
}

/** The kept members from the opening brace on, without a closing one; a copy only where something is cut before the end. */
function cutMembers(bytes: Buffer, from: number, spans: readonly MemberSpan[], fates: readonly Fate[]): Buffer {
  const runs: Buffer[] = [];
  for (let i = 0; i < spans.length; i += 1) {
    if (fates[i] !== true) continue;
    const first = i;
    while (fates[i + 1] === true) i += 1;
    runs.push(bytes.subarray(spans[first]!.segmentStart, spans[i]!.segmentEnd));
  }
  if (runs.length === 1 && fates[0] === true) return bytes.subarray(from, from + 1 + runs[0]!.length);
  return Buffer.concat(runs.flatMap((run, i) => [i === 0 ? openBraceBytes : commaBytes, run]));
}

/** In what cutMembers leaves: the brace, and each segment with a comma before it but for the first. */
function placesOf(spans: readonly MemberSpan[], fates: readonly Fate[]): SystemPlace[] {
  const places: SystemPlace[] = [];
  let at = 1;
  for (const [i, fate] of fates.entries()) {
    const { segmentStart, segmentEnd } = spans[i]!;
    if (fate === true) at += segmentEnd - segmentStart + (at === 1 ? 0 : 1);
    else if (fate !== false) places.push({ at, name: fate.name });
  }
  return places;
}

/** JSON has no undefined: that is a document without an id. */
function checkedId(value: unknown): string {
  if (value === undefined) {
    throw new DatabaseError(
      'invalid-id',
      'The document has no id: a property "id" with a non-empty string is required.',
    );
  }
  const id = validateDocumentId(value);
  if (!isWellFormed(id)) throw new DatabaseError('invalid-id', `The id is not well-formed Unicode: ${loneSurrogate}.`);
  return id;
}

function checkedTtl(value: unknown): number | undefined {
  return validateTtl(value, "The document's ttl");
}

function assertWellFormed(values: PartitionKeyValues): void {
  for (const key of values) {
    if (typeof key === 'string' && !isWellFormed(key)) {
      throw new DatabaseError(
        'invalid-partition-key',
        `The partition key is not well-formed Unicode: ${loneSurrogate}.`,
      );
    }
  }
}

/** Every Node we run on has String.prototype.isWellFormed; the compiler's library (ES2023) does not know it yet. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function tooLarge(sizeBytes: number): DatabaseError {
  const message = `A document may have at most ${documentBytesMax} bytes of UTF-8; this one has ${sizeBytes}.`;
  return new DatabaseError('document-too-large', message);
}

function invalid(message: string, cause?: unknown): DatabaseError {
  return new DatabaseError('invalid-document', message, { cause });
}
