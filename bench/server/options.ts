// What the server's benchmark can be told, and what it does otherwise.

import type { BenchDefaults } from '../common/options.ts';

export const usage = `npm run bench:server -- [--quick] [--documents N] [--folder PATH] [--only SECTION,…]
  --quick      under a minute: short turns, 20 thousand documents
  --documents  in the database that is read (default: 1,000,000; with --quick 20,000)
  --folder     where to work (default: data/bench-server, removed at the end)
  --only       start, writes, points, feed, tail, waiters, sdk`;

export const defaults: Omit<BenchDefaults, 'folder'> = {
  documents: 1_000_000,
  quickDocuments: 20_000,
  documentsMin: 5_000,
  turnMs: 3_000,
  quickTurnMs: 600,
};
