// What the command line asks for.

import { parseArgs } from 'node:util';

export interface ServerBenchOptions {
  readonly isQuick: boolean;
  readonly documents: number;
  readonly rounds: number;
  readonly turnMs: number;
  readonly folder: string;
  readonly sections: readonly string[];
}

export const usage = `npm run bench:server -- [--quick] [--documents N] [--folder PATH] [--only SECTION,…]
  --quick      under a minute: short turns, 20 thousand documents
  --documents  in the database that is read (default: 1,000,000; with --quick 20,000)
  --folder     where to work (default: data/bench-server, removed at the end)
  --only       start, writes, points, feed, tail, waiters, sdk`;

export function readOptions(args: readonly string[], folder: string): ServerBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      documents: { type: 'string' },
      folder: { type: 'string', default: folder },
      only: { type: 'string', default: '' },
    },
  });
  const documents = Number(values.documents ?? (values.quick ? 20_000 : 1_000_000));
  if (!Number.isInteger(documents) || documents < 5_000) throw new Error('--documents takes a number from 5000 on.');
  return {
    isQuick: values.quick,
    documents,
    rounds: values.quick ? 3 : 5,
    turnMs: values.quick ? 700 : 3_000,
    folder: values.folder,
    sections: values.only === '' ? [] : values.only.split(','),
  };
}
