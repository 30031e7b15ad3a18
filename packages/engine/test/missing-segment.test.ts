// An index that names a segment which is not there: by damage, or by a mistake of ours. Whoever reads is told, and nothing hangs.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, feedOf, keptIndex, openOn, refusal } from './harness.ts';

test('[engine 12] the feed, reads and patches of what was in a segment that is missing are refused as corrupt', async () => {
  await using database = await openOn(memoryFiles(), { index: keptIndex() });
  const container = await aContainer(database);
  await container.create({ id: 'a', pk: 'p', n: 1 });
  const { engine } = database;
  await engine.settle();
  const { segments } = engine.state;
  const active = segments.active.id;
  await fillUntilRolled(container, () => segments.active.id !== active);
  await engine.settle();
  await segments.retire([active]);

  const told = { code: 'corrupt', message: expect.stringContaining('is missing') as string };
  expect(await refusal(feedOf(container))).toEqual(told);
  expect(await refusal(container.read('a', 'p'))).toEqual(told);
  expect(await refusal(container.patch('a', 'p', [{ op: 'set', path: '/n', value: 2 }]))).toEqual(told);
});

async function fillUntilRolled(container: Container, isRolled: () => boolean): Promise<void> {
  for (let n = 0; !isRolled(); n += 1) await container.upsert({ id: `b${n}`, pk: 'p', text: 'x'.repeat(1_000) });
}
