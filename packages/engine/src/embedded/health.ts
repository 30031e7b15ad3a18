// What an operator looks at: whether the database can do its work, and how much it holds.

import type { DatabaseError } from '@tidemark/model';

export interface EngineHealth {
  /** 'read-only' and 'index-failed' end when the database is opened again; 'damaged' asks for a look at the message. */
  readonly status: 'ok' | 'read-only' | 'index-failed' | 'damaged';
  readonly message: string | undefined;
  /** How far the clock jumped at the last jump that was worth reporting. */
  readonly clockJumpMs: number;
}

export interface EngineFigures {
  readonly groups: number;
  readonly segmentBytes: number;
  readonly segments: number;
  readonly overlayRecords: number;
  readonly overlayBytes: number;
  readonly bitmapBytes: number;
  readonly waiters: number;
  readonly sequence: number;
  readonly indexedSequence: number;
}

export function statusOf(failure: DatabaseError | undefined): EngineHealth['status'] {
  if (failure === undefined) return 'ok';
  if (failure.code === 'read-only') return 'read-only';
  return failure.code === 'corrupt' ? 'damaged' : 'index-failed';
}
