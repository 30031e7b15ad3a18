// A container of an engine in this process as a feed: no HTTP in between (B11).

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, databaseRid, isDatabaseError, parseResourceId } from '@tidemark/model';
import type { Clock } from '../environment.ts';
import type { EngineContainer, EngineFeedOptions, EnginePage } from '../outside/engine-container.ts';
import { pageWithin } from '../outside/engine-container.ts';
import { itemOf } from './feed-items.ts';
import type { FeedItem, FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from './feed-source.ts';

export class EngineFeedSource implements FeedSource {
  readonly #container: EngineContainer;
  readonly #clock: Clock;
  /** Of the container that was given: one of the same name that took its place is another object. */
  readonly #rid: string;

  constructor(container: EngineContainer, clock: Clock) {
    this.#container = container;
    this.#clock = clock;
    this.#rid = container.info.rid;
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    signal?.throwIfAborted();
    const { id, rid, definition } = this.#container.info;
    const parsed = parseResourceId(rid);
    const [database] = parsed?.kind === 'container' ? parsed.parts : [];
    if (database === undefined) throw new DatabaseError('internal', `The rid ${rid} is not one of a container.`);
    return {
      account: 'engine',
      databaseRid: databaseRid(database),
      containerRid: rid,
      name: `engine/${id}`,
      partitionKeyPaths: definition.partitionKey.paths,
      partitionKey: definition.partitionKey,
    };
  }

  async ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    signal?.throwIfAborted();
    return this.#container.ranges.map(({ id, min, max, parents }) => ({ id, min, max, parents }));
  }

  async read(read: FeedRead): Promise<FeedPage> {
    const { mode, from, itemsMax, waitMs, signal } = read;
    signal?.throwIfAborted();
    if (this.#container.info.rid !== this.#rid) {
      throw new DatabaseError('container-mismatch', 'The container was deleted and made anew.');
    }
    const scope = read.range === undefined && read.keys !== undefined ? this.#scopeOf(read.keys) : read;
    const options: EngineFeedOptions = {
      from: startOf(from),
      ...(itemsMax === undefined ? {} : { itemsMax }),
      ...(scope.range === undefined ? {} : { range: scope.range }),
      ...(scope.keys === undefined ? {} : { keys: scope.keys }),
    };
    try {
      const feed = mode === 'latest' ? this.#container.changes(options) : this.#container.versions(options);
      let page = from === 'now' ? feed.emptyPage() : await feed.page();
      if (waitMs !== undefined)
        page = await pageWithin(feed, page, waitMs, this.#clock.sleep.bind(this.#clock), signal);
      return this.#pageOf(page);
    } catch (error) {
      if (isDatabaseError(error) && error.code === 'range-unknown') {
        throw new DatabaseError('range-gone', error.message, { cause: error });
      }
      throw error;
    }
  }

  #scopeOf(keys: KeyRange): { readonly range: string; readonly keys: KeyRange } {
    const holder = this.#container.ranges.find(({ min, max }) => min <= keys.min && keys.max <= max);
    if (holder !== undefined) return { range: holder.id, keys };
    throw new DatabaseError(
      'range-gone',
      `The keys from '${keys.min}' to '${keys.max}' do not lie in one range any more.`,
    );
  }

  #pageOf(page: EnginePage): FeedPage {
    const items = itemsOf(page);
    let sizeBytes = 0;
    for (const piece of page.pieces) sizeBytes += piece.length;
    page.release?.();
    return {
      position: page.etag,
      items,
      isDrained: page.count === 0 && page.isDrained,
      isWaitApplied: true,
      charge: 0,
      sizeBytes,
      tailLsn: page.range?.tailLsn,
      sessionToken: undefined,
      serverTimeMs: undefined,
    };
  }
}

function startOf(from: FeedRead['from']): NonNullable<EngineFeedOptions['from']> {
  if (typeof from === 'string') return from;
  return 'position' in from ? { etag: from.position } : { time: new Date(from.timeMs) };
}

function itemsOf(page: EnginePage): FeedItem[] {
  if (page.count === 0) return [];
  const values: unknown = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`);
  return Array.isArray(values) ? values.map(itemOf) : [];
}
