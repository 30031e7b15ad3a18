// [D17] A pause for every page is a mistake that no other test sees. In virtual time it is plain: what has no reason to wait takes none.

import { QuietFeed, VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { createProcessor } from '../src/create-processor.ts';
import type { FeedRead } from '../src/feed/feed-source.ts';
import { MemoryDocumentStore } from '../src/store/memory-store.ts';

const pages = 100;
const pageItems = 10;
const stepMs = 20;

/** Virtual time from the first batch to the last. `pauseMs`: the defect, before every page. */
async function spanMs(lanes: number, pauseMs: number): Promise<number> {
  const clock = new VirtualClock();
  const feed = new QuietFeed(1, clock);
  for (let n = 0; n < pages * pageItems; n += 1) feed.add('0', { id: String(n), pk: String(n % 7), _lsn: n + 1 });
  let handled = 0;
  let firstMs = 0;
  let lastMs = 0;
  const processor = createProcessor({
    source: {
      identity: () => feed.identity(),
      ranges: () => feed.ranges(),
      read: async (read: FeedRead) => {
        if (pauseMs > 0) await clock.sleep(pauseMs, read.signal);
        return feed.read(read);
      },
    },
    leases: new MemoryDocumentStore({ clock }),
    name: 'pace',
    instance: 'a',
    start: 'beginning',
    itemsMax: pageItems,
    lanes,
    environment: { clock, random: () => 0.5, fetch: globalThis.fetch },
    handler: (changes) => {
      if (handled === 0) firstMs = clock.monotonicMs();
      handled += changes.length;
      lastMs = clock.monotonicMs();
    },
  });
  const pass = async (work: Promise<void>): Promise<void> => {
    let isOver = false;
    void work.then(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(stepMs);
  };
  await pass(processor.start());
  while (handled < pages * pageItems) await clock.advance(stepMs);
  await pass(processor.stop());
  expect(handled).toBe(pages * pageItems);
  return lastMs - firstMs;
}

test.each([1, 4])('[D17] a backlog is handled without a pause between pages, in %i lanes', async (lanes) => {
  // Not one millisecond for a page.
  expect(await spanMs(lanes, 0)).toBeLessThan(pages);
});

test('[D17] a pause before every page would be seen', async () => {
  expect(await spanMs(1, 1_000)).toBeGreaterThan(pages * 900);
});
