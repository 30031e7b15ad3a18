// A short run of what `npm run chaos:processor` does for as long as one likes.

import { expect, test } from 'vitest';
import { Chaos } from './chaos.ts';

test('[S1] [S4] [S5] [S15] hosts that are ill-treated at random lose nothing', { timeout: 240_000 }, async () => {
  const outcome = await Chaos.run(3, 7);
  const { written, lost, disordered, exits, owned, isTiled, steps, repeatedMost } = outcome;
  expect(steps).toEqual(expect.arrayContaining(['stop', 'split', 'freeze', 'kill', 'cut']));
  expect(lost).toEqual([]);
  expect(disordered).toEqual([]);
  expect(written).toBeGreaterThan(0);
  expect(new Set(exits)).toEqual(new Set([0]));
  expect(owned).toBe(0);
  expect(isTiled).toBe(true);
  // Nobody is disturbed more often than there were disturbances.
  expect(repeatedMost).toBeLessThanOrEqual(steps.length + 1);
});
