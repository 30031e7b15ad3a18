// What the processor's benchmark can be told, and what it does otherwise.

import type { BenchDefaults } from '../common/options.ts';

export const usage = `npm run bench:processor -- [--quick] [--documents N] [--folder PATH] [--only SECTION,…]
  --quick      under a minute: 50 thousand documents
  --documents  in each of the containers whose feed is read (default: 200,000; with --quick 50,000)
  --folder     where to work (default: data/bench-processor, removed at the end)
  --only       throughput, latency, balance, takeover, duplicates, idle`;

export const defaults: Omit<BenchDefaults, 'folder'> = {
  documents: 200_000,
  quickDocuments: 50_000,
  documentsMin: 5_000,
  turnMs: 3_000,
  quickTurnMs: 700,
};
