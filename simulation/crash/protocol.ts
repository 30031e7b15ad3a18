// What the writer tells its parent, one line of JSON each, written with a blocking write: a line that was begun before the
// kill is either complete or recognisably cut, and what it says happened before the kill.

/** `kept` keeps every version, `plain` only the latest: there compaction has something to throw away. */
export type ContainerName = 'plain' | 'kept';
export const containerNames: readonly ContainerName[] = ['plain', 'kept'];

export type Phase = 'roll' | 'index' | 'split' | 'compaction';
export const phases: readonly Phase[] = ['roll', 'index', 'split', 'compaction'];

/** One document that an operation writes or deletes. */
export interface Touched {
  /** Partition key and id: `p3/d1`. */
  readonly key: string;
  readonly isDelete: boolean;
}

/** A document, or a delete in the version history, as a reader saw it. `op` names the operation that wrote it. */
export interface Seen {
  readonly key: string;
  readonly op: number | undefined;
  readonly lsn: number;
}

export type Message =
  /** Opened. `state` is read by the feed from its beginning, `points` by point reads, `listed` by the read feed. */
  | {
      readonly kind: 'opened';
      readonly container: ContainerName;
      readonly ranges: readonly { readonly id: string; readonly tail: number }[];
      readonly state: readonly Seen[];
      readonly points: readonly Seen[];
      readonly listed: readonly Seen[];
    }
  /** What the tail reader finds when it goes on from where the killed one was, to the end. */
  | {
      readonly kind: 'continued';
      readonly container: ContainerName;
      readonly changes: readonly Seen[];
      readonly etag: string;
    }
  /** Versions and deletes after the etag of the last time, or from the beginning. */
  | { readonly kind: 'versions'; readonly isWhole: boolean; readonly changes: readonly Seen[]; readonly etag: string }
  | { readonly kind: 'checked'; readonly problems: readonly string[] }
  /** The index was of no use and has been rebuilt from the log. */
  | { readonly kind: 'rebuilt' }
  | { readonly kind: 'ready' }
  /** About to be submitted. */
  | {
      readonly kind: 'begin';
      readonly op: number;
      readonly container: ContainerName;
      readonly touched: readonly Touched[];
    }
  | { readonly kind: 'done'; readonly op: number; readonly range: string; readonly lsn: number }
  /** Rejected as a whole: nothing was written. */
  | { readonly kind: 'refused'; readonly op: number }
  /** A page of the tail reader. */
  | {
      readonly kind: 'seen';
      readonly container: ContainerName;
      readonly changes: readonly Seen[];
      readonly etag: string;
    }
  | { readonly kind: 'phase'; readonly phase: Phase; readonly isOn: boolean }
  /** The operation that the plan asked to hold is being held. */
  | { readonly kind: 'held'; readonly phase: Phase; readonly step: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What the parent tells the writer before it opens the folder. */
export interface Orders {
  readonly folder: string;
  readonly seed: string;
  /** Operations are numbered from here. */
  readonly firstOp: number;
  readonly etags: Readonly<Partial<Record<ContainerName, string>>>;
  readonly versionsEtag: string | undefined;
  readonly readsAllVersions: boolean;
  readonly checks: boolean;
  /** Stops the world inside this phase, at this step of it, once enough writes have been acknowledged. */
  readonly hold: { readonly phase: Phase; readonly step: number; readonly afterAcks: number } | undefined;
}

export const partitionCount = 24;
export const idsPerPartition = 6;

export function allKeys(): string[] {
  const keys: string[] = [];
  for (let p = 0; p < partitionCount; p += 1) {
    for (let d = 0; d < idsPerPartition; d += 1) keys.push(`p${p}/d${d}`);
  }
  return keys;
}
