// The scan beside writers: whatever is made while a batch is being read, nothing before its end is left out.

import { expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { aContainer, aDocument } from './harness.ts';

test('[engine 2] what is made while a batch waits for the disk is in it or behind its end', async () => {
  // So many that the last entry of rids that a page looks at is full, or has room for some.
  for (let count = 56; count < 80; count += 1) {
    await using database = await openDatabase({ memory: true, maintenance: false });
    const container = await aContainer(database);
    const create = (first: number, end: number): Promise<unknown> =>
      Promise.all(Array.from({ length: end - first }, (_, i) => container.create(aDocument(first + i))));
    await create(0, count);
    // Some are gone, so that a page looks at several of these entries one after the other.
    for (let n = 0; n < count; n += 2) {
      const { id, pk } = aDocument(n);
      await container.delete(id, pk);
    }
    await database.engine.settle();
    const { segments } = database.engine.state;
    const read = segments.read.bind(segments);
    let reads = 0;
    Object.assign(segments, {
      read: async (...place: Parameters<typeof read>) => {
        reads += 1;
        if (reads === 1) {
          await create(count, count + 60);
          await database.engine.settle();
        }
        return read(...place);
      },
    });
    const range = container.ranges[0]?.id as string;
    const seen = new Set<unknown>();
    let from: number | undefined;
    for (let isBehind = false; ; ) {
      const page = await container.readPage(range, { continuation: from, itemsMax: 64 });
      for (const document of page.documents) seen.add(document.value['id']);
      from = page.continuation ?? page.end;
      if (page.continuation !== undefined) continue;
      if (isBehind) break;
      isBehind = true;
    }
    expect(seen.size).toBe(Math.floor(count / 2) + 60);
  }
});
