// Pages of documents, without any order but that of their creation within a range: what a list and a query of everything
// have in common (M2). A page never mixes two ranges.
//
// CONTINUATION   r1:<min>;<max>=<from>;<max>=<from>…
//   Everything below min has been listed. What follows are parts of the key space, one after the other, each named by its
//   exclusive end: of a part everything before the document number `from` has been listed. Being about keys and not about
//   range ids, it stays valid when ranges are split or merged meanwhile: a child goes on where its parent was, because
//   document numbers only grow from parent to child, and in a wider range everything outside the part is left out.

import type { Document, RangeInfo } from '@tidemark/engine';
import type { ConsistencyLevel, KeyRange, PartitionKeyValues } from '@tidemark/model';
import {
  DatabaseError,
  effectiveKeyHex,
  effectiveKeyPrefixRange,
  header,
  intersectKeyRanges,
  isDatabaseError,
  keyRangeContains,
  keySpaceMax,
} from '@tidemark/model';
import { keysOf, rangeIdOf } from './feed-scope.ts';
import { inTurn } from './page-turn.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { RequestHead } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';
import type { Place } from './resources.ts';
import { checkSession } from './session.ts';

export interface DocumentPage {
  readonly documents: readonly Document[];
  readonly range: RangeInfo;
  /** Where the next page begins; undefined after the last. */
  readonly continuation: string | undefined;
}

export interface PageRules {
  /** Only documents whose id begins with this. */
  readonly idPrefix?: string;
  /** Wire: after a page that is exactly full a query goes on, and finds an empty one (wire 12). */
  readonly isFullPageOpen?: boolean;
}

export async function readDocumentPage(
  request: RequestHead,
  place: Place,
  consistency: ConsistencyLevel,
  rules: PageRules = {},
): Promise<DocumentPage> {
  checkSession(request, place, consistency);
  const named = rangeIdOf(request, place);
  const scope = scopeOf(request, place, named);
  const itemsMax = itemsMaxOf(request);
  for (;;) {
    const position = readPosition(textOfHeader(request, header.continuation), scope);
    const range = liveRange(place, position.min);
    try {
      return await inTurn(() => readPage(place, { scope, position, range, itemsMax, rules }));
    } catch (error) {
      // Split or merged since it was looked up; a client that named it hears of it, for all others it is found again.
      if (named !== undefined || !(isDatabaseError(error) && error.code === 'range-gone')) throw error;
    }
  }
}

interface Scope {
  readonly keys: KeyRange;
  readonly partitionKey?: PartitionKeyValues;
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
  readonly rules: PageRules;
}

async function readPage(place: Place, page: Page): Promise<DocumentPage> {
  const { scope, position, range, itemsMax, rules } = page;
  const [part] = position.parts;
  const keys = { min: position.min, max: part.max };
  const isCut = range.min < keys.min || range.max > keys.max;
  const { documents, end, continuation } = await place.container.readPage(range.id, {
    continuation: part.from,
    itemsMax,
    ...(isCut ? { keys } : {}),
    ...(scope.partitionKey === undefined ? {} : { partitionKey: scope.partitionKey }),
    ...(rules.idPrefix === undefined ? {} : { idPrefix: rules.idPrefix }),
  });
  const isOpen = rules.isFullPageOpen === true && documents.length >= itemsMax;
  const next = nextPosition(page, continuation ?? (isOpen ? end : undefined));
  return { documents, range, continuation: next === undefined ? undefined : formatPosition(next) };
}

const mark = 'r1:';

function scopeOf(request: RequestHead, place: Place, range: string | undefined): Scope {
  const values = partitionKeyOf(request, place, { prefix: true });
  if (values !== undefined) {
    const definition = place.info.definition.partitionKey;
    if (values.length < definition.paths.length) return { keys: effectiveKeyPrefixRange(definition, values) };
    const min = effectiveKeyHex(place.container.partitionKey(values).epk);
    return { keys: { min, max: `${min}00` }, partitionKey: values };
  }
  const given = keysOf(request);
  if (range === undefined) return { keys: given ?? { min: '', max: keySpaceMax } };
  const live = place.container.ranges.find((each) => each.id === range);
  if (live === undefined) throw new DatabaseError('range-gone', `The range ${range} has been split or merged.`);
  const keys = given === undefined ? live : intersectKeyRanges(live, given);
  return { keys: { min: keys?.min ?? live.min, max: keys?.max ?? live.min } };
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
