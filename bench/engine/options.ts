// What the engine's benchmark can be told, and what it does otherwise.

import type { BenchDefaults } from '../common/options.ts';

export const usage = `npm run bench:engine -- [--quick] [--documents 100000|1000000|10000000] [--folder PATH] [--only SECTION,…]
  --quick      under a minute: short turns, 30 thousand documents
  --documents  size of the large database (default: 1,000,000; with --quick 30,000); the small one has a tenth
  --folder     where to work (default: data/bench, removed at the end)
  --only       writes, batches, feed, tail, points, split, scale, space, recovery`;

export const defaults: Omit<BenchDefaults, 'folder'> = {
  documents: 1_000_000,
  quickDocuments: 30_000,
  documentsMin: 10_000,
  turnMs: 2_000,
  quickTurnMs: 200,
};
