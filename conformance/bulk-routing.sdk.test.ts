// Bulks of the SDKs, which route operations themselves, with ranges that are not the ones they know any more.

import type { OperationInput, Container as SdkContainer } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

type Bulk = (container: SdkContainer, operations: OperationInput[]) => Promise<(number | string | undefined)[]>;

const bulks: readonly (readonly [string, Bulk])[] = [
  [
    'executeBulkOperations',
    async ({ items }, operations) =>
      (await items.executeBulkOperations(operations)).map(({ response, error }) => response?.statusCode ?? error?.code),
  ],
  ['bulk', async ({ items }, operations) => (await items.bulk(operations)).map(({ statusCode }) => statusCode)],
];

function creates(from: number, count: number): OperationInput[] {
  return Array.from({ length: count }, (_, i) => ({
    operationType: 'Create',
    partitionKey: `p${i}`,
    resourceBody: { id: `${from + i}`, pk: `p${i}` },
  }));
}

describe.each(bulks)('%s', (_name, bulk) => {
  test('[wire 8] [wire 10] is done wholly in the children of ranges that were split since the last one', async () => {
    const container = await world.container();
    const inside = world.inside(container);
    for (const from of [0, 100]) {
      expect(await bulk(container, creates(from, 60))).toEqual(new Array(60).fill(201));
      for (const { id } of inside.ranges) await inside.split(id);
    }

    expect(await bulk(container, creates(200, 60))).toEqual(new Array(60).fill(201));

    expect(inside.ranges).toHaveLength(4);
    expect(inside.ranges.reduce((sum, { documents }) => sum + documents, 0)).toBe(180);
  });

  test('[wire 8] [wire 10] is done wholly while ranges are split under it', async () => {
    const container = await world.container();
    const inside = world.inside(container);
    await bulk(container, creates(0, 1));

    const [codes] = await Promise.all([bulk(container, creates(100, 80)), inside.split('0')]);

    expect(codes).toEqual(new Array(80).fill(201));
    expect(inside.ranges.reduce((sum, { documents }) => sum + documents, 0)).toBe(81);
  });

  // The range that it names lives, and holds other keys than that of the container that is gone. To a 410 about it `executeBulkOperations`
  // of 4.9.3 would wait for ever: it never sends anything to an id again that it got 410 for.
  test('[wire 8] is done wholly in a container that was made anew with more ranges', async () => {
    const gone = await world.container();
    await bulk(gone, creates(0, 20));
    await gone.delete();
    const container = await world.container({ id: gone.id, throughput: 18_000 });
    const inside = world.inside(container);

    const codes = await bulk(container, creates(0, 90));

    expect(codes).toEqual(new Array(90).fill(201));
    expect(inside.ranges.every(({ documents }) => documents > 0)).toBe(true);
  });
});
