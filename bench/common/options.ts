// What the command line of a benchmark asks for.

import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly isQuick: boolean;
  /** Documents in the database that is measured. */
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

/** What a benchmark does when the command line does not say. */
export interface BenchDefaults {
  readonly folder: string;
  readonly documents: number;
  readonly quickDocuments: number;
  readonly documentsMin: number;
  readonly turnMs: number;
  readonly quickTurnMs: number;
}

export function readOptions(args: readonly string[], defaults: BenchDefaults): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      documents: { type: 'string' },
      folder: { type: 'string', default: defaults.folder },
      only: { type: 'string', default: '' },
    },
  });
  const isQuick = values.quick;
  const documents = Number(values.documents ?? (isQuick ? defaults.quickDocuments : defaults.documents));
  if (!Number.isInteger(documents) || documents < defaults.documentsMin) {
    throw new Error(`--documents takes a number from ${defaults.documentsMin} on.`);
  }
  return {
    isQuick,
    documents,
    rounds: isQuick ? 3 : 7,
    turnMs: isQuick ? defaults.quickTurnMs : defaults.turnMs,
    folder: values.folder,
    sections: values.only === '' ? [] : values.only.split(','),
  };
}
