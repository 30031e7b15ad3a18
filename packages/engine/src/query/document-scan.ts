// A scan of a container, or of a part of it: range after range in the order of the key space, each in the order of creation. It
// goes on through splits and merges.

import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import {
  DatabaseError,
  effectiveKey,
  effectiveKeyHex,
  encodePartitionKeyBytes,
  extractPartitionKey,
  intersectKeyRanges,
  isDatabaseError,
  keyRangeContains,
  parsePartitionKeyPath,
} from '@tidemark/model';
import { listedBatchItems, scanBatchItems } from '../limits.ts';
import type { RangeEngine, RangeInfo, ScannedDocument, Snapshot, StoredDocument } from '../range-engine.ts';
import type { KeyPlace } from './key-place.ts';
import { placeAfter, placeAtStart, placeWithin } from './key-place.ts';

export interface DocumentScope {
  /** Intervals of effective keys in their order, of which none touches another. None at all: no document can be wanted. */
  readonly keys: readonly KeyRange[];
  readonly partitionKey?: { readonly bytes: Buffer; readonly epk: Buffer };
  /** The ids that a document can have; undefined: any. */
  readonly ids?: readonly string[] | undefined;
  /** The range that the client has named: when it is split or merged the client has to hear of it. */
  readonly range?: string;
}

export interface ScannedBatch {
  readonly documents: readonly ScannedDocument[];
  readonly range: RangeInfo;
  readonly tail: number;
  /** Of which document rows were on a page before, and how many. */
  readonly begun: { readonly ridNumber: number; readonly rows: number } | undefined;
  /** The next batch is of another range, or there is none. */
  readonly isRangeEnd: boolean;
}

export class DocumentScan {
  readonly #engine: RangeEngine;
  readonly #container: number;
  readonly #scope: DocumentScope;
  #place: KeyPlace | undefined;
  /** Of the range of the last batch: it need not be found out again. */
  #areMany: { readonly range: string } | undefined;

  constructor(engine: RangeEngine, container: number, scope: DocumentScope, from?: KeyPlace) {
    this.#engine = engine;
    this.#container = container;
    this.#scope = scope;
    this.#place = from ?? (scope.keys.length === 0 ? undefined : placeAtStart(spanOf(scope)));
  }

  /** Where the next batch begins; undefined when there is none. */
  get place(): KeyPlace | undefined {
    return this.#place;
  }

  /** Of the documents as they were at the moment of the snapshot. */
  async next(bytesMax: number, snapshot: Snapshot): Promise<ScannedBatch | undefined> {
    const { partitionKey, ids } = this.#scope;
    for (;;) {
      const place = this.#place;
      if (place === undefined) return undefined;
      const range = this.#rangeAt(place.min);
      const keys = this.#keysWithin(place, range);
      if (keys?.length === 0) {
        this.#place = placeAfter(place, range, undefined);
        return { documents: [], range, tail: range.tailLsn, begun: undefined, isRangeEnd: true };
      }
      const areMany = this.#areMany?.range === range.id;
      // Those that are listed by their keys are listed for each batch again.
      const itemsMax = keys === undefined || areMany ? scanBatchItems : listedBatchItems;
      try {
        const { from, rows } = place.parts[0];
        const { documents, continuation, tail, ...rest } = await this.#engine.scan(this.#container, range.id, {
          ...{ from, itemsMax, bytesMax, areMany, snapshot },
          ...(keys === undefined ? {} : { keys }),
          ...(partitionKey === undefined ? {} : { partitionKey }),
          ...(ids === undefined ? {} : { ids }),
        });
        this.#place = placeAfter(place, range, continuation);
        this.#areMany = rest.areMany ? { range: range.id } : undefined;
        const begun = rows === undefined ? undefined : { ridNumber: from, rows };
        return { documents, range, tail, begun, isRangeEnd: continuation === undefined };
      } catch (error) {
        // Split or merged since it was looked up: what holds the key now is found again.
        if (!(isDatabaseError(error) && error.code === 'range-gone')) throw error;
      }
    }
  }

  /** The place of a document in the batch that was given last, behind so many of its rows. */
  placeIn({ ridNumber }: ScannedDocument, rows: number, batch: ScannedBatch, before: KeyPlace): KeyPlace {
    return placeWithin(placeAfter(before, batch.range, ridNumber) as KeyPlace, rows); // It goes on in this range.
  }

  /** The place behind it. */
  placeBehind({ ridNumber }: ScannedDocument, batch: ScannedBatch, before: KeyPlace): KeyPlace {
    return placeAfter(before, batch.range, ridNumber + 1) as KeyPlace; // The same.
  }

  #rangeAt(min: string): RangeInfo {
    const range = this.#engine.ranges(this.#container).find((each) => keyRangeContains(each, min));
    if (range === undefined) throw new DatabaseError('internal', `No range holds the key "${min}".`);
    const { range: named } = this.#scope;
    if (named !== undefined && named !== range.id) {
      throw new DatabaseError('range-gone', `The range ${named} has been split or merged.`);
    }
    return range;
  }

  /** Undefined: all keys of the range. */
  #keysWithin({ min, parts }: KeyPlace, range: RangeInfo): readonly KeyRange[] | undefined {
    const part = { min, max: parts[0].max };
    const keys = this.#scope.keys.flatMap((interval) => {
      const rest = intersectKeyRanges(interval, part);
      const within = rest === undefined ? undefined : intersectKeyRanges(rest, range);
      return within === undefined ? [] : [within];
    });
    const [only] = keys;
    return keys.length === 1 && only?.min === range.min && only.max === range.max ? undefined : keys;
  }
}

/** From the first key of the scope to its last. */
export function spanOf({ keys }: DocumentScope): KeyRange {
  return { min: keys[0]?.min ?? '', max: keys.at(-1)?.max ?? '' };
}

/** Whether a document has a key of the scope: a continuation may name any document. */
export function isInScope(
  scope: DocumentScope,
  definition: PartitionKeyDefinition,
  { bytes }: StoredDocument,
): boolean {
  const document: unknown = JSON.parse(bytes.toString('utf8'));
  const values = extractPartitionKey(document, definition.paths.map(parsePartitionKeyPath));
  const epk = effectiveKeyHex(effectiveKey(definition, values));
  if (!scope.keys.some((interval) => keyRangeContains(interval, epk))) return false;
  return scope.partitionKey === undefined || scope.partitionKey.bytes.equals(encodePartitionKeyBytes(values));
}
