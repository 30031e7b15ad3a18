// Snapshots of the embedded engine in histories of their own.

import fc from 'fast-check';
import { test } from 'vitest';
import { VirtualClock } from '../virtual-clock.ts';
import { Bench } from './bench.ts';
import { memoryEngine } from './embedded-engines.ts';
import { checkSnapshot } from './snapshots.ts';

test('[M20] a scan of a snapshot shows what was there when it was opened', async () => {
  const clock = new VirtualClock();
  const bench = new Bench(await memoryEngine()({ clock }), clock);
  try {
    await fc.assert(
      fc.asyncProperty(fc.nat(), (seed) => checkSnapshot(bench, seed)),
      { numRuns: 50 },
    );
  } finally {
    await bench.close();
  }
});
