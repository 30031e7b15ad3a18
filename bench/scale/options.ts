// What the command line of the scale benchmark asks for.

import { parseArgs } from 'node:util';

export const usage = `npm run bench:scale -- [--quick] [--documents N] [--bytes N] [--updates N] [--folder PATH] [--chart FILE]
  --quick      under a minute: 100 thousand documents, short turns, no chart
  --documents  how many are loaded, in ten steps (default: 10,000,000)
  --bytes      the size of one, from 96 on (default: 1,024); 100,000,000 of 128 bytes take about 35 GB of disk
  --updates    of the phase that shows compaction (default: 1.5 for each document; with --quick 0.5)
  --folder     where to work (default: data/scale; what was there is removed, at the end too); a million of 1 KiB takes 2.5 GB
  --chart      where the chart goes (default: docs/charts/scale.svg; with --quick none)
  --help       this`;

export interface ScaleOptions {
  readonly isQuick: boolean;
  readonly documents: number;
  readonly documentBytes: number;
  readonly updates: number;
  readonly folder: string;
  readonly chart: string | undefined;
  /** Each cost is measured so often in turns with its reference; the median counts. */
  readonly rounds: number;
  /** Of one round; of cheaper operations there are more. Their number is fixed, so that what a round costs anyway is too. */
  readonly operations: number;
  /** How often a size is killed and opened again. */
  readonly kills: number;
  /** Writes are in flight this long before a kill. */
  readonly killAfterMs: number;
  /** Of the phase of updates: writes alone, and with compaction beside them. */
  readonly aloneMs: number;
  readonly compactingMs: number;
}

const documentBytesMin = 96;
/** With fewer, the first tenth would not fill a page of the feed in each range. */
const documentsMin = 100_000;

export function readScaleOptions(
  args: readonly string[],
  defaults: { readonly folder: string; readonly chart: string },
): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      documents: { type: 'string' },
      bytes: { type: 'string', default: '1024' },
      updates: { type: 'string' },
      folder: { type: 'string', default: defaults.folder },
      chart: { type: 'string' },
    },
  });
  const isQuick = values.quick;
  const documents = numberOf('documents', values.documents ?? (isQuick ? '100000' : '10000000'), documentsMin);
  return {
    isQuick,
    documents,
    documentBytes: numberOf('bytes', values.bytes, documentBytesMin),
    updates: numberOf('updates', values.updates ?? `${Math.floor(documents * (isQuick ? 0.5 : 1.5))}`, 0),
    folder: values.folder,
    chart: values.chart ?? (isQuick ? undefined : defaults.chart),
    rounds: isQuick ? 3 : 7,
    operations: isQuick ? 1_000 : operationsOf(documents),
    kills: isQuick ? 1 : 3,
    killAfterMs: isQuick ? 200 : 1_000,
    aloneMs: isQuick ? 200 : 2_000,
    compactingMs: isQuick ? 1_000 : 10_000,
  };
}

/** Half of the upserts replace documents anywhere: so few that the feed's pages stay as they were loaded. */
function operationsOf(documents: number): number {
  return Math.min(8_000, Math.max(1_000, Math.floor(documents / 500)));
}

function numberOf(name: string, text: string, min: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new Error(`--${name} takes a whole number from ${min} on, not ${text}.`);
}
