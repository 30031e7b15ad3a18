import { expect, it } from 'vitest';
import { nearestName } from './spelling.ts';

it.each([
  ['defaultTTL', 'defaultTtl'],
  ['partitonKey', 'partitionKey'],
  ['partitionkey', 'partitionKey'],
  ['partitionKeys', 'partitionKey'],
  ['strat', 'start'],
  ['computedProperties', undefined],
  ['', undefined],
])('takes %j for %j', (name, meant) => {
  expect(nearestName(name, ['defaultTtl', 'partitionKey', 'start'])).toBe(meant);
});
