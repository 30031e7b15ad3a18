// What a process that writes is told, and what it answers.

import type { Drive } from '../common/drive.ts';

export type Work = 'upserts' | 'inserts' | 'updates' | 'batches';

export const batchDocuments = 100;
/** So few that most batches replace what is there, as upserts do in the long run. */
export const batchPartitions = 100;

export interface WriterTurn {
  readonly work: Work;
  readonly writers: number;
  readonly turnMs: number;
  readonly rampMs: number;
}

export interface WriterAnswer {
  readonly driven: Drive;
  /** Documents that are there by now, of those that are counted. */
  readonly count: number;
}

/** Of documents, where an operation writes many. */
export function inDocuments(work: Work, driven: Drive): Drive {
  return work === 'batches' ? { ...driven, operations: driven.operations * batchDocuments } : driven;
}
