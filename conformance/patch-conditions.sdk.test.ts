// Conditions of a patch: the SDK sends SQL beside the operations (wire 7).

import type { PatchOperation } from '@azure/cosmos';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const operations: PatchOperation[] = [{ op: 'incr', path: '/stock', value: -1 }];

test('[wire 7] a document is patched while the condition holds, and then the precondition fails', async () => {
  const container = await world.container();
  await container.items.create({ id: '1', pk: 'a', stock: 2 });
  const item = container.item('1', 'a');
  const sell = (): Promise<unknown> => item.patch({ condition: 'FROM c WHERE c.stock > 0', operations });

  await sell();
  await sell();

  await expect(sell()).rejects.toMatchObject({ code: 412 });
  expect((await item.read<{ stock: number }>()).resource?.stock).toBe(0);
});

test('[wire 7] a condition that cannot be understood, or is more than one, is refused with its place', async () => {
  const container = await world.container();
  await container.items.create({ id: '1', pk: 'a', stock: 2 });
  const patch = (condition: string): Promise<unknown> => container.item('1', 'a').patch({ condition, operations });

  await expect(patch('FROM c WHERE c.stock >')).rejects.toMatchObject({
    code: 400,
    message: expect.stringContaining('"start":22'),
  });
  await expect(patch('FROM c WHERE d.stock > 1')).rejects.toMatchObject({ message: expect.stringContaining('SC2001') });
  await expect(patch('FROM c ORDER BY c.stock')).rejects.toMatchObject({ code: 400 });
  await expect(patch('FROM c WHERE RAND() >= 0')).rejects.toMatchObject({ code: 400 });
  const counted = 'FROM (SELECT COUNT(1) AS k FROM c) AS s WHERE s.k = 1';
  await expect(patch(counted)).rejects.toMatchObject({ code: 400, message: expect.stringContaining('one document') });
  for (const glued of ['= false FROM c', 'IN (false) FROM c', 'SELECT * FROM c']) {
    await expect(patch(glued), glued).rejects.toMatchObject({ code: 400 });
  }
  expect((await container.item('1', 'a').read()).resource?.['stock']).toBe(2);
});

test('[wire 8] one condition that does not hold fails the whole batch', async () => {
  const container = await world.container();
  await container.items.create({ id: '1', pk: 'a', stock: 0 });
  await container.items.create({ id: '2', pk: 'a', stock: 5 });
  const patchOf = (id: string) => ({
    operationType: 'Patch' as const,
    id,
    resourceBody: { condition: 'FROM c WHERE c.stock > 0', operations },
  });

  const failed = await container.items.batch([patchOf('2'), patchOf('1')], 'a');
  const done = await container.items.batch([patchOf('2')], 'a');

  expect(failed.result?.map(({ statusCode }) => statusCode)).toEqual([424, 412]);
  expect(done.result?.map(({ statusCode }) => statusCode)).toEqual([200]);
  expect((await container.item('2', 'a').read()).resource?.['stock']).toBe(4);
});

test('[wire 7] of patches that race only so many are applied as the condition allows', async () => {
  const container = await world.container();
  await container.items.create({ id: '1', pk: 'a', stock: 3 });
  const sells = Array.from({ length: 10 }, () =>
    container.item('1', 'a').patch({ condition: 'FROM c WHERE c.stock > 0', operations }),
  );

  const outcomes = await Promise.allSettled(sells);

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect((await container.item('1', 'a').read()).resource?.['stock']).toBe(0);
});
