// Pages of documents, without any order but that of their creation within a range: a list (M2). A page never mixes two ranges.
//
// CONTINUATION   r1:<place>, see key-place.ts of the engine

import type { Document, RangeInfo } from '@tidemark/engine';
import type { KeyPlace } from '@tidemark/engine/internal';
import { formatPlace, invalidContinuation, placeAfter, placeAtStart, readPlace } from '@tidemark/engine/internal';
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

export async function readDocumentPage(
  request: RequestHead,
  place: Place,
  consistency: ConsistencyLevel,
): Promise<DocumentPage> {
  checkSession(request, place, consistency);
  const named = rangeIdOf(request, place);
  const scope = scopeOf(request, place, named);
  const itemsMax = itemsMaxOf(request);
  for (;;) {
    const position = placeOf(textOfHeader(request, header.continuation), scope);
    const range = liveRange(place, position.min);
    try {
      return await inTurn(() => readPage(place, { scope, position, range, itemsMax }));
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

interface Page {
  readonly scope: Scope;
  readonly position: KeyPlace;
  readonly range: RangeInfo;
  readonly itemsMax: number;
}

async function readPage(place: Place, page: Page): Promise<DocumentPage> {
  const { scope, position, range, itemsMax } = page;
  const [part] = position.parts;
  const keys = { min: position.min, max: part.max };
  const isCut = range.min < keys.min || range.max > keys.max;
  const { documents, continuation } = await place.container.readPage(range.id, {
    continuation: part.from,
    itemsMax,
    ...(isCut ? { keys } : {}),
    ...(scope.partitionKey === undefined ? {} : { partitionKey: scope.partitionKey }),
  });
  const next = placeAfter(position, range, continuation);
  return { documents, range, continuation: next === undefined ? undefined : `${mark}${formatPlace(next)}` };
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

function placeOf(text: string | undefined, { keys }: Scope): KeyPlace {
  if (text === undefined) return placeAtStart(keys);
  if (!text.startsWith(mark)) throw invalidContinuation();
  return readPlace(text.slice(mark.length), keys);
}

function liveRange(place: Place, min: string): RangeInfo {
  const range = place.container.ranges.find((each) => keyRangeContains(each, min));
  if (range === undefined) throw new DatabaseError('internal', `No range holds the key "${min}".`);
  return range;
}
