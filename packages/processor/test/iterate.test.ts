import { systemEnvironment } from '@tidemark/client';
import { expect, test } from 'vitest';
import type { ChangedDocument } from '../src/feed/change.ts';
import { MemoryFeedSource } from '../src/feed/memory-feed-source.ts';
import type { ChangeBatch } from '../src/iterate.ts';
import { iterateChanges } from '../src/iterate.ts';
import { MemoryDocumentStore } from '../src/store/memory-store.ts';

interface Doc {
  readonly id: string;
  readonly pk: string;
}

function setUp(): { source: MemoryFeedSource; open: () => AsyncIterableIterator<ChangeBatch<ChangedDocument<Doc>>> } {
  const { clock } = systemEnvironment();
  const source = new MemoryFeedSource({ clock, ranges: 2 });
  const leases = new MemoryDocumentStore({ clock });
  const options = { source, leases, name: 'loop', start: 'beginning', joinMs: 10, itemsMax: 1 } as const;
  return { source, open: () => iterateChanges<Doc>(options) };
}

test('[M10] a loop gets every change of every range, and the next loop goes on where it was left', async () => {
  const { source, open } = setUp();
  for (let n = 0; n < 10; n += 1) source.put({ id: `${n}`, pk: `k${n}` });

  const seen: string[] = [];
  for await (const batch of open()) {
    seen.push(...batch.changes.map(({ id }) => id));
    if (seen.length < 10) continue;
    batch.done();
    break;
  }
  source.put({ id: 'late', pk: 'k1' });
  const later: string[] = [];
  for await (const { changes } of open()) {
    later.push(...changes.map(({ id }) => id));
    break;
  }

  expect(seen.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(later).toEqual(['late']);
});

test('a batch in hand when the loop is left by an error is delivered again', async () => {
  const { source, open } = setUp();
  source.put({ id: 'a', pk: 'k' });

  const broken = async (): Promise<void> => {
    for await (const _ of open()) throw new Error('mine');
  };
  await expect(broken()).rejects.toThrow('mine');
  const again: string[] = [];
  for await (const batch of open()) {
    again.push(...batch.changes.map(({ id }) => id));
    batch.done();
    break;
  }

  expect(again).toEqual(['a']);
});

test('a mistake in the options is an error of the call', () => {
  const { source } = setUp();
  expect(() => iterateChanges({ source, leases: new MemoryDocumentStore(), name: 'a/b' })).toThrow(/name cannot have/);
});
