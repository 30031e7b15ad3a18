// The index seam: an ordered map from bytes to bytes, in memory or in LMDB. Its content can always be rebuilt from the
// log, so it may come back after a crash as of any synced state, or not at all, but never as a mixture of two states.

export interface IndexEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** One change; `value` undefined removes the key. */
export interface IndexChange {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

export interface IndexRangeOptions {
  /** Inclusive. */
  readonly from: Buffer;
  /** Exclusive. */
  readonly to: Buffer;
  readonly limit: number;
  /** Walks from `to` down to `from`; the bounds keep their meaning (from inclusive, to exclusive). */
  readonly reverse?: boolean;
}

export interface IndexStore {
  /** The longest key it takes; longer components are shortened with a digest (keys.ts). */
  readonly keyBytesMax: number;
  /** Another one whenever something was applied, or may have been: what was read before may not hold. Undefined where nobody counts. */
  readonly changes?: number | undefined;
  /** Sees every apply whose promise has resolved. The bytes belong to the caller only until its next await. */
  get(key: Buffer): Buffer | undefined;
  /** Like `get`, for whoever is done with the bytes before the index is asked anything else. */
  lend?(key: Buffer): Buffer | undefined;
  /** At most `limit` entries in key order, as copies the caller may keep. Holds no read transaction when it returns. */
  range(options: IndexRangeOptions): IndexEntry[];
  /** All or nothing, in order. Resolves when every later get and range sees it, and until then has the bytes; durable only after `sync`. */
  apply(changes: readonly IndexChange[]): Promise<void>;
  /** Resolves when everything applied before the call is durable. Rejects when that failed or took longer than its limit. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
