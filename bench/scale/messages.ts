// What the processes of the scale benchmark tell the one that starts and kills them.

import type { Cost } from './cost.ts';

export const costNames = ['upsert', 'read', 'pageStart', 'pageMiddle', 'pageTail'] as const;
export type CostName = (typeof costNames)[number];

/** What one of them is to do. The documents 0 … count - 1 are there. */
export interface Task {
  readonly role: 'step' | 'restart' | 'updates';
  readonly folder: string;
  /** Of the small database that costs are measured against. */
  readonly smallFolder: string;
  readonly documentBytes: number;
  readonly count: number;
  /** Of a step: how many there are to be. */
  readonly target: number;
  readonly rounds: number;
  readonly operations: number;
  readonly updates: number;
  readonly aloneMs: number;
  readonly compactingMs: number;
}

export interface MemoryFigures {
  /** After a collection. */
  readonly heapBytes: number;
  /** The most that was seen while documents were loaded. */
  readonly heapPeakBytes: number;
  readonly residentBytes: number;
  /** What of it is the process's own; the rest are pages of files that the operating system can take back. */
  readonly ownBytes: number;
  readonly bitmapBytes: number;
}

export interface Measured {
  readonly count: number;
  readonly loadedPerSecond: number;
  readonly costs: Readonly<Record<CostName, Cost>>;
  readonly memory: MemoryFigures;
  readonly segmentBytes: number;
  readonly indexBytes: number;
}

/** A stretch of the phase of updates. */
export interface UpdateWindow {
  readonly isCompacting: boolean;
  /** The share of the time in which a compaction was under way. */
  readonly compactionShare: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

export interface UpdatesMeasured {
  readonly updates: number;
  readonly windows: readonly UpdateWindow[];
  /** The most that the files of the log took, beside what was allowed at that moment. */
  readonly worstBytes: number;
  readonly allowedBytes: number;
  /** What there was at the beginning and all that was written since: what it would have come to. */
  readonly uncompactedBytes: number;
  /** At regular intervals: updates so far, and what files and latest versions took. */
  readonly samples: readonly { readonly updates: number; readonly bytes: number; readonly allowedBytes: number }[];
}

export type ChildMessage =
  | { readonly kind: 'opened'; readonly openMs: number; readonly processorMs: number; readonly tail: number }
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'acknowledged'; readonly tail: number }
  | { readonly kind: 'measured'; readonly measured: Measured }
  | { readonly kind: 'updated'; readonly updated: UpdatesMeasured };
