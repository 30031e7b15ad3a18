// The documents of a container, page by page, without any order but that of their creation within a range (M2).
//
// CONTINUATION   r1:<min>;<max>=<from>;<max>=<from>…
//   Everything below min has been listed. What follows are parts of the key space, one after the other, each named by its
//   exclusive end: of a part everything before the document number `from` has been listed. Being about keys and not about
//   range ids, it stays valid when ranges are split or merged meanwhile: a child goes on where its parent was, because
//   document numbers only grow from parent to child, and in a wider range everything outside the part is left out.

import type { Document, RangeInfo } from '@tidemark/engine';
import type { KeyRange } from '@tidemark/model';
import {
  DatabaseError,
  effectiveKeyHex,
  effectiveKeyPrefixRange,
  header,
  intersectKeyRanges,
  isDatabaseError,
  keyRangeContains,
  keySpaceMax,
  partitionKeyEquals,
} from '@tidemark/model';
import { pageCharge } from '../charge.ts';
import { keysOf } from '../feed-scope.ts';
import type { HandlerContext } from '../handler.ts';
import { partitionKeyOf } from '../partition-key.ts';
import type { CosmosRequest } from '../request.ts';
import { itemsMaxOf, textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, pageBody, sessionHeaders } from '../response.ts';

export async function listDocuments(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const named = textOfHeader(request, header.rangeId);
  const scope = scopeOf(request, place, named);
  const itemsMax = itemsMaxOf(request);
  for (;;) {
    const position = readPosition(textOfHeader(request, header.continuation), scope);
    const range = liveRange(place, position.min);
    try {
      return await listPage(request, place, { scope, position, range, itemsMax });
    } catch (error) {
      // Split or merged since it was looked up; a client that named it hears of it, for all others it is found again.
      if (named !== undefined || !(isDatabaseError(error) && error.code === 'range-gone')) throw error;
    }
  }
}

interface Scope {
  readonly keys: KeyRange;
  isWanted(document: Document): boolean;
}

interface Part {
  readonly max: string;
  readonly from: number;
}

interface Position {
  readonly min: string;
  readonly parts: readonly [Part, ...Part[]];
}

interface Page {
  readonly scope: Scope;
  readonly position: Position;
  readonly range: RangeInfo;
  readonly itemsMax: number;
}

async function listPage(request: CosmosRequest, place: Place, page: Page): Promise<CosmosResponse> {
  const { scope, position, range, itemsMax } = page;
  const [part] = position.parts;
  const { documents, continuation } = await place.container.readPage(range.id, { continuation: part.from, itemsMax });
  const keys = { min: position.min, max: part.max };
  const isCut = range.min < keys.min || range.max > keys.max;
  const isWanted = (document: Document): boolean =>
    scope.isWanted(document) && (!isCut || keyRangeContains(keys, keyOf(place, document)));
  const pieces: Buffer[] = [];
  let count = 0;
  let lookedAtBytes = 0;
  for (const document of documents) {
    const { bytes } = document;
    lookedAtBytes += bytes.length;
    if (!isWanted(document)) continue;
    if (count > 0) pieces.push(comma);
    pieces.push(bytes);
    count += 1;
  }
  const body = pageBody(place.info.rid, pieces, count);
  const next = nextPosition(page, continuation);
  const headers: Record<string, string> = {
    ...containerOwner(place),
    ...sessionHeaders(request, range.id, range.tailLsn),
    [header.rangeId]: range.id,
    [header.itemCount]: String(count),
    ...(next === undefined ? {} : { [header.continuation]: formatPosition(next) }),
  };
  return { status: 200, charge: pageCharge(documents.length, lookedAtBytes), headers, body };
}

const comma: Buffer = Buffer.from(',');
const mark = 'r1:';

function scopeOf(request: CosmosRequest, place: Place, range: string | undefined): Scope {
  const all = (): boolean => true;
  const values = partitionKeyOf(request, place, { prefix: true });
  if (values !== undefined) {
    const definition = place.info.definition.partitionKey;
    if (values.length < definition.paths.length) {
      const keys = effectiveKeyPrefixRange(definition, values);
      return { keys, isWanted: (document) => keyRangeContains(keys, keyOf(place, document)) };
    }
    const key = place.container.partitionKey(values);
    const min = effectiveKeyHex(key.epk);
    const isWanted = (document: Document): boolean => partitionKeyEquals(valuesOf(place, document), key.values);
    return { keys: { min, max: `${min}00` }, isWanted };
  }
  const given = keysOf(request);
  if (range === undefined) return { keys: given ?? { min: '', max: keySpaceMax }, isWanted: all };
  const live = place.container.ranges.find((each) => each.id === range);
  if (live === undefined) throw new DatabaseError('range-gone', `The range ${range} has been split or merged.`);
  const keys = given === undefined ? live : intersectKeyRanges(live, given);
  return { keys: { min: keys?.min ?? live.min, max: keys?.max ?? live.min }, isWanted: all };
}

function formatPosition({ min, parts }: Position): string {
  return `${mark}${min};${parts.map(({ max, from }) => `${max}=${from}`).join(';')}`;
}

function readPosition(text: string | undefined, { keys }: Scope): Position {
  if (text === undefined) return { min: keys.min, parts: [{ max: keys.max, from: 0 }] };
  if (!/^r1:[0-9A-F]*(?:;[0-9A-F]+=\d{1,16})+$/.test(text)) throw invalidContinuation();
  const [first = '', ...rest] = text.slice(mark.length).split(';');
  const min = first < keys.min ? keys.min : first;
  const parts: Part[] = [];
  for (const part of rest) {
    const [end = '', from] = part.split('=');
    const max = end > keys.max ? keys.max : end;
    if (max > (parts.at(-1)?.max ?? min)) parts.push({ max, from: Number(from) });
  }
  const [head, ...tail] = parts;
  if (head === undefined) throw invalidContinuation();
  return { min, parts: [head, ...tail] };
}

/** What is left after a page: the rest of the range, the rest of the part, the other parts. */
function nextPosition({ position, range }: Page, continuation: number | undefined): Position | undefined {
  const [part, ...others] = position.parts;
  const isPartLonger = range.max < part.max;
  const rest = isPartLonger ? [part, ...others] : others;
  const end = isPartLonger ? range.max : part.max;
  if (continuation !== undefined) return { min: position.min, parts: [{ max: end, from: continuation }, ...rest] };
  const [head, ...tail] = rest;
  return head === undefined ? undefined : { min: end, parts: [head, ...tail] };
}

function invalidContinuation(): DatabaseError {
  return new DatabaseError('invalid-continuation', 'Invalid Continuation Token: it was not made here, or for this.');
}

function liveRange(place: Place, min: string): RangeInfo {
  const range = place.container.ranges.find((each) => keyRangeContains(each, min));
  if (range === undefined) throw new DatabaseError('internal', `No range holds the key "${min}".`);
  return range;
}

// Only where a page has to leave something out: all other pages are sent without looking into them.

function keyOf(place: Place, document: Document): string {
  return effectiveKeyHex(place.container.partitionKey(valuesOf(place, document)).epk);
}

function valuesOf({ container }: Place, document: Document): ReturnType<typeof container.partitionKey>['values'] {
  return container.partitionKeyOf(container.readClient(document.bytes)).values;
}
