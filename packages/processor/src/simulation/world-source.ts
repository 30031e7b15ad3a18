// The feed of the world's container as one host reaches it.

import { isDatabaseError } from '@tidemark/model';
import type { FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from '../feed/feed-source.ts';
import { worldEpochMs } from './host-clock.ts';
import type { ModelContainer } from './model-container.ts';
import { itemOf } from './model-container.ts';
import type { Network, NetworkNode } from './network.ts';
import type { Schedule } from './schedule.ts';

export interface WorldSourceOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly node: NetworkNode;
  readonly container: ModelContainer;
  readonly identity: SourceIdentity;
  /** Told of every read that was answered, with the range or the keys as a token. */
  readonly onAnswer: (token: string) => void;
  /** Told of every position that was refused. */
  readonly onRefusal: (token: string) => void;
  /** Whether the endpoint waits for changes. */
  readonly canWait: boolean;
}

export class WorldSource implements FeedSource {
  readonly #options: WorldSourceOptions;
  readonly #keyName: string;

  constructor(options: WorldSourceOptions) {
    this.#options = options;
    this.#keyName = (options.identity.partitionKeyPaths[0] ?? '/pk').slice(1);
  }

  identity(signal?: AbortSignal): Promise<SourceIdentity> {
    const { network, node, identity } = this.#options;
    return network.call(node, {
      port: 'feed',
      operation: 'read',
      signal,
      serve: (answer) => void answer({ value: identity }),
    });
  }

  ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    const { network, node, container } = this.#options;
    return network.call<readonly PhysicalRange[]>(node, {
      port: 'feed',
      operation: 'read',
      signal,
      serve: (answer) =>
        void answer({
          value: container.ranges.map(({ id, min, max, parents }) => ({ id, min, max, parents })),
        }),
    });
  }

  async read(read: FeedRead): Promise<FeedPage> {
    const token = read.range ?? `${read.keys?.min}-${read.keys?.max}`;
    try {
      const page = await this.#read(read);
      this.#options.onAnswer(token);
      return page;
    } catch (error) {
      if (isDatabaseError(error) && error.code === 'invalid-continuation') this.#options.onRefusal(token);
      throw error;
    }
  }

  #read(read: FeedRead): Promise<FeedPage> {
    const { network, node, canWait } = this.#options;
    const waitMs = canWait ? (read.waitMs ?? 0) : 0;
    return network.call<FeedPage>(node, {
      port: 'feed',
      operation: 'wait',
      waitMs,
      hasPosition: typeof read.from === 'object' && 'position' in read.from,
      signal: read.signal,
      serve: (answer) =>
        this.#serve(
          read,
          waitMs,
          (value) => answer({ value }),
          (error) => answer({ error }),
        ),
    });
  }

  #serve(
    read: FeedRead,
    waitMs: number,
    answer: (page: FeedPage) => void,
    refuse: (error: unknown) => void,
  ): (() => void) | undefined {
    const first = this.#page(read);
    if (!first.isDrained || waitMs === 0 || read.from === 'now') {
      answer(first);
      return undefined;
    }
    const { schedule, container } = this.#options;
    let stopWaiting: () => void = () => undefined;
    const timer = schedule.after(waitMs, () => {
      stopWaiting();
      look(true);
    });
    const look = (isLast: boolean): void => {
      try {
        const page = this.#page(read);
        if (page.isDrained && !isLast) {
          stopWaiting = container.onNext(() => look(false));
          return;
        }
        schedule.cancel(timer);
        answer(page);
      } catch (error) {
        schedule.cancel(timer);
        refuse(error);
      }
    };
    stopWaiting = container.onNext(() => look(false));
    return () => {
      schedule.cancel(timer);
      stopWaiting();
    };
  }

  #page(read: FeedRead): FeedPage {
    const { container, identity, schedule, canWait } = this.#options;
    const { position, changes, isDrained, tailLsn } = container.read(read);
    const item = { containerRid: identity.containerRid, keyName: this.#keyName };
    return {
      position,
      items: changes.map((change) => itemOf(change, read.mode, item)),
      isDrained,
      isWaitApplied: canWait && (read.waitMs ?? 0) > 0,
      charge: 1 + changes.length / 10,
      tailLsn,
      sessionToken: undefined,
      serverTimeMs: Math.floor((worldEpochMs + schedule.nowMs) / 1000) * 1000,
    };
  }
}
