// The body of a batch or bulk request: an array of operations. The documents in it are taken as they stand in the bytes,
// not written anew from their parsed values, so that number literals and the order of properties survive (engine.md 4).
//
// Most bodies are read in one pass over the bytes, by the scanner that also reads documents. Whatever is unusual to it, mistakes
// above all, is read thoroughly, with JSON.parse as the judge.

import { ObjectScanner } from '@tidemark/engine/internal';
import { batchBytesMax, batchOperationsMax, DatabaseError, documentDepthMax, memberSpans } from '@tidemark/model';

export interface BodyOperation {
  readonly type: string;
  readonly id: string | undefined;
  /** The bytes of `resourceBody`; undefined where there is none. */
  readonly resource: Buffer | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Bulk only. Wire: JSON inside a string (wire 8). */
  readonly partitionKey: string | undefined;
}

export function readBatchBody(body: Buffer): BodyOperation[] {
  if (body.length > batchBytesMax) {
    throw new DatabaseError('batch-too-large', `A batch may have at most ${batchBytesMax} bytes, not ${body.length}.`);
  }
  return scanOperations(body) ?? readThoroughly(body);
}

const memberNames = ['operationType', 'id', 'resourceBody', 'ifMatch', 'ifNoneMatch', 'partitionKey'] as const;
type MemberName = (typeof memberNames)[number];

const scanner: ObjectScanner = new ObjectScanner(memberNames, documentDepthMax + 1);

/** Undefined where the thorough reader has to say what it is. */
function scanOperations(body: Buffer): BodyOperation[] | undefined {
  const operations: BodyOperation[] = [];
  let i = skipSpace(body, 0);
  if (body[i] !== openBracket) return undefined;
  do {
    const start = skipSpace(body, i + 1);
    const end = scanner.endOf(body, start, body.length, operations.length > 0);
    if (end < 0 || operations.length === batchOperationsMax) return undefined;
    operations.push(scannedOperation(body, operations.length));
    i = skipSpace(body, end);
  } while (body[i] === comma);
  return body[i] === closeBracket && skipSpace(body, i + 1) === body.length ? operations : undefined;
}

function scannedOperation(body: Buffer, index: number): BodyOperation {
  const resourceStart = scanner.starts[resourceAt] as number;
  return operationOf(
    (name) => scannedMember(body, memberNames.indexOf(name)),
    resourceStart < 0 ? undefined : body.subarray(resourceStart, scanner.ends[resourceAt]),
    index,
  );
}

const resourceAt: number = memberNames.indexOf('resourceBody');

function scannedMember(body: Buffer, at: number): unknown {
  const start = scanner.starts[at] as number;
  if (start < 0) return undefined;
  const end = scanner.ends[at] as number;
  const text = body.toString('utf8', start, end);
  if (body[start] === quote && !text.includes('\\')) return text.slice(1, -1);
  return JSON.parse(text);
}

function skipSpace(body: Buffer, start: number): number {
  let i = start;
  while (body[i] === 0x20 || body[i] === 0x0a || body[i] === 0x0d || body[i] === 0x09) i += 1;
  return i;
}

function readThoroughly(body: Buffer): BodyOperation[] {
  const operations = parse(body);
  if (operations.length === 0) throw new DatabaseError('bad-request', 'A batch must have at least one operation.');
  if (operations.length > batchOperationsMax) {
    const message = `A batch may have at most ${batchOperationsMax} operations; this one has ${operations.length}.`;
    throw new DatabaseError('bad-request', message);
  }
  const elements = elementSpans(body);
  return operations.map((operation, index) => readOperation(operation, body, elements[index] as Span, index));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Wire: the .NET client sends the same in a binary form of its own; JSON begins with a bracket. */
function parse(body: Buffer): readonly unknown[] {
  if (body[0] !== openBracket && body.length > 0 && (body[0] ?? 0) >= 0x80) {
    throw new DatabaseError(
      'not-supported',
      'Batches in the binary form of HybridRow are not supported yet; send JSON.',
    );
  }
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (Array.isArray(parsed)) return parsed;
  } catch (error) {
    throw new DatabaseError('bad-request', 'The body of the batch is not valid JSON.', { cause: error });
  }
  throw new DatabaseError('bad-request', 'The body of a batch must be a JSON array of operations.');
}

function readOperation(value: unknown, body: Buffer, span: Span, index: number): BodyOperation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DatabaseError('bad-request', `Operation ${index} of the batch is not a JSON object.`);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const member = (name: MemberName): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);
  const resource = Object.hasOwn(members, 'resourceBody') ? resourceBytes(body, span) : undefined;
  return operationOf(member, resource, index);
}

function operationOf(
  member: (name: MemberName) => unknown,
  resource: Buffer | undefined,
  index: number,
): BodyOperation {
  const type = textMember(member, 'operationType', index);
  if (type === undefined)
    throw new DatabaseError('bad-request', `Operation ${index} of the batch has no operationType.`);
  return {
    type,
    id: textMember(member, 'id', index),
    resource,
    ifMatch: textMember(member, 'ifMatch', index),
    ifNoneMatch: textMember(member, 'ifNoneMatch', index),
    partitionKey: textMember(member, 'partitionKey', index),
  };
}

function textMember(member: (name: MemberName) => unknown, name: MemberName, index: number): string | undefined {
  const value = member(name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new DatabaseError('bad-request', `The member ${name} of operation ${index} must be a string.`);
}

/** Of members with the same name the last one counts, as it does for JSON.parse. */
function resourceBytes(body: Buffer, span: Span): Buffer | undefined {
  for (const member of memberSpans(body, span.from, span.to).reverse()) {
    const name: unknown = JSON.parse(body.toString('utf8', member.nameStart, member.nameEnd));
    if (name !== 'resourceBody') continue;
    return body.subarray(body.indexOf(colon, member.nameEnd) + 1, member.segmentEnd);
  }
  return undefined;
}

/** The elements of the valid JSON array. An object's span is from brace to brace. */
function elementSpans(body: Buffer): Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let from = -1;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === quote) {
      const start = i;
      i += 1;
      while (body[i] !== quote) i += body[i] === backslash ? 2 : 1;
      if (depth === 1 && from < 0) from = start;
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === 1 && from < 0) from = i;
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0 && from >= 0) spans.push({ from, to: i });
      if (depth === 1 && byte === closeBrace && from >= 0) {
        spans.push({ from, to: i + 1 });
        from = -2;
      }
    } else if (byte === comma && depth === 1) {
      if (from >= 0) spans.push({ from, to: i });
      from = -1;
    } else if (depth === 1 && from === -1 && byte !== undefined && byte > 0x20) {
      from = i;
    }
  }
  return spans;
}
