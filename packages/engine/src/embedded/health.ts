// What an operator looks at: whether the database can do its work, and how much it holds.

import type { DatabaseError } from '@tidemark/model';

export interface EngineHealth {
  /**
   * 'disk-full' ends by itself when there is room; 'read-only' and 'index-failed' when the database is opened again;
   * 'damaged' asks for a look at the message.
   */
  readonly status: 'ok' | 'disk-full' | 'read-only' | 'index-failed' | 'damaged';
  readonly message: string | undefined;
  /** How far the clock jumped at the last jump that was worth reporting. */
  readonly clockJumpMs: number;
}

export interface EngineFigures {
  /** Committed: groups of units that shared a flush, the units in them, and what they took. */
  readonly groups: number;
  readonly units: number;
  readonly groupBytes: number;
  /** How long writing and flushing groups took, all together. */
  readonly flushMs: number;
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
  if (failure.code === 'read-only' || failure.code === 'disk-full') return failure.code;
  return failure.code === 'corrupt' ? 'damaged' : 'index-failed';
}
