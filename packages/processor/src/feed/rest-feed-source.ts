// A container over HTTP as a feed: Tidemark's or Azure's.

import type { ChangesOptions, RestClient, RestContainer } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { ContainerPlace } from '../environment.ts';
import { momentMsMax } from '../limits.ts';
import { placeOf } from '../outside/rest-place.ts';
import { readItems } from './feed-items.ts';
import type { FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from './feed-source.ts';
import { RangeMap } from './range-map.ts';
import { identityOf } from './source-identity.ts';
import { tailLsnOf } from './tail-lsn.ts';

export interface RestFeedSourceOptions {
  /** Sent with every read (M12): the feed answers not older than this. */
  readonly sessionToken?: string | undefined;
}

export class RestFeedSource implements FeedSource {
  readonly at: ContainerPlace;
  readonly #container: RestContainer;
  readonly #sessionToken: string | undefined;
  readonly #ranges: RangeMap = new RangeMap((signal) => this.#loadRanges(signal));
  /** Known after `identity`; from then on a container of the same name that took its place is refused (S22). */
  #containerRid: string | undefined;

  constructor(client: RestClient, database: string, container: string, options: RestFeedSourceOptions = {}) {
    this.at = placeOf(client, database, container);
    this.#container = client.container(database, container);
    this.#sessionToken = options.sessionToken;
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    const definition = await translated(() => this.#container.read({ signal, retryMsMax: momentMsMax }));
    const identity = identityOf(definition, this.at.endpoint, this.at.container);
    this.#containerRid = identity.containerRid;
    return identity;
  }

  ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    return this.#ranges.refresh(signal);
  }

  async read(read: FeedRead): Promise<FeedPage> {
    if (read.range !== undefined || read.keys === undefined) return this.#readOnce(read, await this.#scopeOf(read));
    const { keys, signal } = read;
    const range = await this.#ranges.holding(keys, signal);
    try {
      return await this.#readOnce(read, narrowed(range, keys));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    // Split or merged since: the keys may lie in one range as before, only in another one.
    await this.#ranges.refresh(signal);
    return this.#readOnce(read, narrowed(await this.#ranges.holding(keys, signal), keys));
  }

  async #scopeOf({ range, keys, signal }: FeedRead): Promise<Scope> {
    if (range === undefined || keys === undefined) return { range };
    const known = await this.#ranges.byId(range, signal);
    return known === undefined ? { range, keys } : narrowed(known, keys);
  }

  async #readOnce({ mode, from, itemsMax, waitMs, signal }: FeedRead, scope: Scope): Promise<FeedPage> {
    const isContinued = typeof from === 'object' && 'position' in from;
    const options: ChangesOptions = {
      ...scope,
      mode,
      from: isContinued ? { etag: from.position } : from,
      itemsMax,
      waitSeconds: waitMs === undefined ? undefined : Math.round(waitMs / 1000),
      containerRid: this.#containerRid,
      sessionToken: this.#sessionToken,
      signal,
      retryMsMax: momentMsMax,
    };
    const page = await translated(() => this.#container.changes(options), isContinued);
    return {
      position: page.etag,
      items: readItems(page),
      isDrained: page.isDrained,
      isWaitApplied: page.isWaitApplied,
      charge: page.charge,
      sizeBytes: page.sizeBytes,
      tailLsn: tailLsnOf(page.sessionToken, page.rangeId ?? scope.range),
      sessionToken: page.sessionToken,
      serverTimeMs: page.serverTimeMs,
    };
  }

  #loadRanges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    return translated(() => this.#container.ranges({ signal, retryMsMax: momentMsMax }));
  }
}

interface Scope {
  readonly range?: string | undefined;
  readonly keys?: KeyRange | undefined;
}

/** Keys are named only where they are a part of the range: a part costs a service more than the whole. */
function narrowed(range: PhysicalRange, keys: KeyRange): Scope {
  return range.min === keys.min && range.max === keys.max ? { range: range.id } : { range: range.id, keys };
}

function isGone(error: unknown): boolean {
  return isDatabaseError(error) && error.code === 'range-gone';
}

/** Codes of the protocol's errors become those of the seam. `isContinued`: the request named a position. */
async function translated<T>(call: () => Promise<T>, isContinued: boolean = false): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isRestError(error)) throw error;
    const { status, substatus, code, message, retryAfterMs } = error;
    const as = (better: DatabaseError['code']): DatabaseError =>
      new DatabaseError(better, message, { cause: error, retryAfterMs });
    // Of all that is gone only a range stays gone; a replica that moves comes back (processor.md 1.7).
    if (status === 410 && !(substatus === undefined || goneSubstatuses.has(substatus))) throw as('unavailable');
    if (code === 'not-found') throw as('container-not-found');
    if (code === 'session-not-available' || (code === 'internal' && status >= 500)) throw as('unavailable');
    // Only the sentence tells it from other refusals (processor.md 1.8); older clients read it too.
    if (status === 400 && message.startsWith('Reduce page size')) throw as('batch-answer-too-large');
    if (code === 'bad-request' && status === 400 && isContinued) throw as('invalid-continuation');
    throw error;
  }
}

const goneSubstatuses: ReadonlySet<number> = new Set([0, 1002, 1007]);
