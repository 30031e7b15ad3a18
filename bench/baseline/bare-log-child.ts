// The process of a bare log: turns as it is told to take them, each answered with what was measured.

import { Buffer } from 'node:buffer';
import type { DriveOptions } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import { documentIn, documentOf } from '../engine/documents.ts';
import { BareLog } from './bare-log.ts';

export interface BareTurn {
  /** As many in each append. */
  readonly documents: number;
  readonly options: Pick<DriveOptions, 'writers' | 'turnMs' | 'rampMs'>;
}

const [path, way] = process.argv.slice(2);
if (path === undefined) throw new Error('bare-log-child.ts FILE [one-trip]');
const log = new BareLog(path, { isOneTrip: way === 'one-trip' });
let n = 0;

process.on('message', async ({ documents, options }: BareTurn) => {
  const one = (): Promise<void> => log.append(documentOf(n++, 0));
  const many = (): Promise<void> => log.append(Buffer.concat(batchOf(documents)));
  process.send?.(await drive(options, documents === 1 ? one : many));
});
process.on('disconnect', () => log.close());
process.send?.('ready');

/** A batch is of one partition. */
function batchOf(documents: number): Buffer[] {
  return Array.from({ length: documents }, (_, i) => documentIn(1, i, 1));
}
