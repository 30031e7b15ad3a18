// Throttling (M16): requests about documents wait outside while the throughput of their container is used up.
//
// As in the service, the throughput of a container is divided by its ranges, so that one hot partition key can use up its
// range while the others idle. A request that is about no single range is charged to all of them in equal parts. Throughput
// that a database shares among its containers is one bucket for all.

import type { Database } from '@tidemark/engine';
import { DatabaseError, isDatabaseError, peakOf } from '@tidemark/model';
import { refusalCharge } from './charge.ts';
import { rangeIdOf } from './feed-scope.ts';
import { bucketsKept } from './limits.ts';
import { provisionOf } from './offer.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { CosmosRequest, RequestHead } from './request.ts';
import type { Place } from './resources.ts';
import { findContainer } from './resources.ts';
import type { CosmosResponse } from './response.ts';
import { enter, settle, TokenBucket } from './token-bucket.ts';

/** Somebody who has been admitted, and says afterwards what it came to. */
export interface Ticket {
  settle(charge: number): void;
}

export class Throttle {
  readonly #database: Database;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt: number = bucketsKept;

  constructor(database: Database, nowMs: () => number) {
    this.#database = database;
    this.#nowMs = nowMs;
  }

  /** For tests: bounded, whatever comes and goes. */
  get bucketCount(): number {
    return this.#buckets.size;
  }

  /** A whole request. Throws too-many-requests before it is begun. */
  async run<Answer extends CosmosResponse | undefined>(
    request: CosmosRequest,
    handle: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const place = findContainer(this.#database, request.path);
    const ticket = this.enter(place, this.#rangeOf(request, place));
    let charge = 0;
    try {
      const response = await handle();
      charge = response?.charge ?? 0;
      return response;
    } catch (error) {
      if (isDatabaseError(error)) charge = refusalCharge(error.code);
      throw error;
    } finally {
      ticket.settle(charge);
    }
  }

  /** Admits page after page of an answer without end, and keeps of its request only what it is about. */
  meter(request: RequestHead, place: Place): () => Ticket {
    const epk = epkOf(request, place);
    const named = epk === undefined ? rangeIdOf(request, place) : undefined;
    return () => this.enter(place, epk === undefined ? named : this.#database.engine.rangeOf(place.info.number, epk));
  }

  /** One operation, in one range or, when it is undefined, in all of them. Throws too-many-requests. */
  enter(place: Place, range: string | undefined): Ticket {
    const buckets = this.#bucketsOf(place, range);
    if (buckets === undefined) return unlimited;
    const retryAfterMs = enter(buckets, this.#nowMs());
    if (retryAfterMs === undefined) return { settle: (charge) => settle(buckets, charge, this.#nowMs()) };
    throw new DatabaseError(
      'too-many-requests',
      'Request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later.',
      { retryAfterMs },
    );
  }

  /** Undefined where nothing is provisioned. */
  #bucketsOf({ container, info }: Place, range: string | undefined): readonly TokenBucket[] | undefined {
    const provision = provisionOf(this.#database, info);
    if (provision === undefined) return undefined;
    const peak = peakOf(provision.throughput);
    if (provision.owner !== info.number) return [this.#bucket(`${provision.owner}`, peak)];
    const { ranges } = container;
    const share = peak / ranges.length;
    const wanted = ranges.filter((each) => each.id === range);
    return (wanted.length === 0 ? ranges : wanted).map(({ id }) => this.#bucket(`${info.number}/${id}`, share));
  }

  #bucket(key: string, unitsPerSecond: number): TokenBucket {
    const nowMs = this.#nowMs();
    const known = this.#buckets.get(key);
    if (known !== undefined) {
      known.setRate(unitsPerSecond, nowMs);
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs);
    const bucket = new TokenBucket(unitsPerSecond, nowMs);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Of containers and ranges that are gone the buckets fill up, and full ones are forgotten. */
  #sweep(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFresh(nowMs)) this.#buckets.delete(key);
    this.#sweepAt = Math.max(bucketsKept, 2 * this.#buckets.size);
  }

  #rangeOf(request: RequestHead, place: Place): string | undefined {
    const epk = epkOf(request, place);
    return epk === undefined ? rangeIdOf(request, place) : this.#database.engine.rangeOf(place.info.number, epk);
  }
}

/** Of the partition key that the request names, if that is a whole one. */
function epkOf(request: RequestHead, place: Place): Buffer | undefined {
  const values = partitionKeyOf(request, place, { prefix: true });
  const isWhole = values !== undefined && values.length === place.info.definition.partitionKey.paths.length;
  return isWhole ? place.container.partitionKey(values).epk : undefined;
}

const unlimited: Ticket = { settle: () => {} };
