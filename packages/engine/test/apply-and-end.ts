// Writes large transactions into an index, tells which one is done, and ends in the middle of one.

import { mkdirSync, writeSync } from 'node:fs';
import { openLmdbIndex, systemEnvironment } from '../src/internal.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('apply-and-end.ts FOLDER');
mkdirSync(path, { recursive: true });
const index = await openLmdbIndex(path, { clock: systemEnvironment().clock });
const roundsMin = 3;

for (let round = 1; ; round += 1) {
  const value = Buffer.from(String(round));
  const changes = Array.from({ length: 4_000 }, (_, i) => ({
    key: Buffer.from(`key-${String(i).padStart(6, '0')}`),
    value,
  }));
  const applied = index.apply(changes);
  // The thread has the transaction by then, and is at it.
  if (round > roundsMin) setImmediate(() => process.exit());
  await applied;
  writeSync(1, `${round}\n`);
}
