// What the command line asks for.

import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly isQuick: boolean;
  /** Documents in the large database; the small one it is compared with has a tenth. */
  readonly documents: number;
  /** Baseline and subject take turns this often; the median counts. */
  readonly rounds: number;
  /** How long one turn lasts. */
  readonly turnMs: number;
  /** Where the data goes; it must be on the disk that is to be measured. */
  readonly folder: string;
  /** Only the sections named; all of them when empty. */
  readonly sections: readonly string[];
}

export const usage = `npm run bench:engine -- [--quick] [--documents 100000|1000000|10000000] [--folder PATH] [--only SECTION,…]
  --quick      under a minute: short turns, 50 thousand documents
  --documents  size of the large database (default: 1,000,000; with --quick 50,000)
  --folder     where to work (default: data/bench, removed at the end)
  --only       writes, batches, feed, tail, points, split, scale, space, recovery`;

export function readOptions(args: readonly string[], folder: string): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      documents: { type: 'string' },
      folder: { type: 'string', default: folder },
      only: { type: 'string', default: '' },
    },
  });
  const documents = Number(values.documents ?? (values.quick ? 50_000 : 1_000_000));
  if (!Number.isInteger(documents) || documents < 10_000) throw new Error('--documents takes a number from 10000 on.');
  return {
    isQuick: values.quick,
    documents,
    rounds: values.quick ? 3 : 5,
    turnMs: values.quick ? 300 : 2_000,
    folder: values.folder,
    sections: values.only === '' ? [] : values.only.split(','),
  };
}
