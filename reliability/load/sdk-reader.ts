// A program that follows the change feed with the official SDK, and keeps nothing but its continuation.

import type { ChangeFeedIteratorOptions, ChangeFeedPullModelIterator, Container } from '@azure/cosmos';
import { ChangeFeedMode, ChangeFeedStartFrom } from '@azure/cosmos';
import type { Judge } from '../judge/judge.ts';
import type { Bell } from './bell.ts';
import { findingOf } from './refusal.ts';
import { withoutTwins } from './sdk-continuation.ts';
import type { Uptime } from './uptime.ts';

/** In a row, with a server that is there: the continuation is of no use. */
const failuresMax = 200;

export interface ReaderOptions {
  /** Whom the judge knows it as. */
  readonly name: string;
  readonly sees: 'latest' | 'every';
  /** A client of its own each time: one whose look at the ranges failed once remembers that failure for ever. */
  connect(): { readonly container: Container; close(): void };
  readonly judge: Judge;
  readonly uptime: Uptime;
  /** Rings when there may be something new. */
  readonly news: Bell;
  /** Whether the ranges of the container cover every key once: if they do not, keys that are there twice are the server's fault. */
  readonly isTiled: () => Promise<boolean>;
  readonly onGiven: () => void;
  readonly onFinding: (finding: string) => void;
}

interface Numbered {
  readonly pk: string;
  readonly n: number;
}

interface Version {
  readonly current: Partial<Numbered>;
  readonly previous?: Numbered;
}

export class SdkReader {
  readonly #options: ReaderOptions;
  #continuation: string | undefined;
  #isOver = false;
  #restarts = 0;
  #twins = 0;
  /** In a row. */
  #failures = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** How often it went on from its continuation with a new iterator. */
  get restarts(): number {
    return this.#restarts;
  }

  /** How often the SDK had keys twice in its continuation. */
  get twins(): number {
    return this.#twins;
  }

  /** Where "now" is, before anything is written. */
  async begin(): Promise<void> {
    const { container, close } = this.#options.connect();
    const page = await this.#iterator(container).readNext();
    this.#continuation = page.continuationToken;
    close();
  }

  async run(): Promise<void> {
    const { uptime, name, onFinding } = this.#options;
    while (!this.#isOver) {
      await uptime.untilUp();
      try {
        await this.#follow();
      } catch (error) {
        this.#failures += 1;
        const finding = this.#failures < failuresMax ? findingOf(error) : `${failuresMax} times in a row with ${error}`;
        if (finding !== undefined) {
          onFinding(`${name} was refused: ${finding}`);
          return;
        }
      }
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#options.news.ring();
  }

  async #follow(): Promise<void> {
    const { container, close } = this.#options.connect();
    this.#restarts += 1;
    try {
      await this.#readOn(this.#iterator(container));
    } finally {
      close();
    }
  }

  async #readOn(iterator: ChangeFeedPullModelIterator<unknown>): Promise<void> {
    const { news, onGiven, onFinding, isTiled, name } = this.#options;
    while (!this.#isOver) {
      const heard = news.count;
      const page = await iterator.readNext();
      this.#failures = 0;
      // What was shown has been shown, so the continuation moves with it.
      if (page.statusCode === 200) for (const item of page.result) this.#give(item);
      this.#continuation = page.continuationToken;
      if (page.statusCode === 304) await news.after(heard);
      else onGiven();
      const single = withoutTwins(page.continuationToken);
      if (single === undefined) continue;
      this.#continuation = single;
      this.#twins += 1;
      if (!(await isTiled())) onFinding(`${name} has keys twice, and so has the server`);
      return;
    }
  }

  #give(item: unknown): void {
    const { judge, name, sees } = this.#options;
    if (sees === 'latest') {
      const { pk, n } = item as Numbered; // What the writers write.
      judge.give(name, { key: pk, n });
      return;
    }
    const { current, previous } = item as Version; // The envelope of all versions.
    if (current.pk !== undefined && current.n !== undefined) judge.give(name, { key: current.pk, n: current.n });
    else if (previous !== undefined) judge.give(name, { key: previous.pk, n: previous.n + 1 });
    else this.#options.onFinding(`${name} was given a delete without what was deleted: ${JSON.stringify(item)}`);
  }

  #iterator(container: Container): ChangeFeedPullModelIterator<unknown> {
    const { sees } = this.#options;
    const from =
      this.#continuation === undefined
        ? ChangeFeedStartFrom.Now()
        : ChangeFeedStartFrom.Continuation(this.#continuation);
    const options: ChangeFeedIteratorOptions = {
      changeFeedStartFrom: from,
      maxItemCount: 200,
      ...(sees === 'every' ? { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes } : {}),
    };
    return container.items.getChangeFeedIterator(options);
  }
}
