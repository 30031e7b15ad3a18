// One container while the database is open: its catalog entry, made ready for use.

import { Buffer } from 'node:buffer';
import { containerRid, formatEtag, parsePartitionKeyPath } from '@tidemark/model';
import type { PreviousImages, PreviousImagesRead } from '../previous-image-policy.ts';
import { previousImagePolicyName, readPreviousImages } from '../previous-image-policy.ts';
import type { DecideContext, UniqueKeyPaths } from '../write/decision.ts';
import { lsnTailBytes } from '../write/system-places.ts';
import { parseUniqueKey } from '../write/unique.ts';
import type { ContainerEntry } from './catalog.ts';
import type { RangeState } from './range.ts';
import { SystemMembers } from './system-members.ts';

/** Documents of one partition key that are deleted, although their records are still there (delete by partition key). */
export interface Purge {
  /** The catalog number of the job. */
  readonly number: number;
  readonly partitionKey: Buffer;
  readonly epk: Buffer;
  readonly lsnMax: number;
  /** What the doc keys of the partition begin with. */
  readonly prefix: Buffer;
}

export class ContainerState {
  readonly entry: ContainerEntry;
  /** In the order of the key space. */
  readonly ranges: readonly RangeState[];
  readonly #rangesById: ReadonlyMap<string, RangeState>;
  readonly uniqueKeys: readonly UniqueKeyPaths[];
  readonly partitionKeyPaths: readonly (readonly string[])[];
  readonly defaultTtl: number | undefined;
  readonly rid: string;
  readonly system: SystemMembers;
  readonly #epoch: number;
  /** By partition key bytes as Latin-1 text. */
  readonly purges: Map<string, Purge>;
  #context: DecideContext | undefined;
  #previousImages: PreviousImagesRead | undefined;

  constructor(entry: ContainerEntry, ranges: readonly RangeState[], epoch: number, purges: Map<string, Purge>) {
    this.entry = entry;
    this.ranges = ranges;
    this.#rangesById = new Map(ranges.map((range) => [range.entry.id, range]));
    this.uniqueKeys = entry.definition.uniqueKeyPolicy.uniqueKeys.map(({ paths }) => parseUniqueKey(paths));
    this.partitionKeyPaths = entry.definition.partitionKey.paths.map(parsePartitionKeyPath);
    this.defaultTtl = entry.definition.defaultTtl;
    this.rid = containerRid(entry.database, entry.number);
    this.system = new SystemMembers(entry.database, entry.number, epoch);
    this.#epoch = epoch;
    this.purges = purges;
  }

  get number(): number {
    return this.entry.number;
  }

  etagOf(lsn: number, ix: number): string {
    const { epochs } = this.entry;
    // A restored document keeps the etag that is written in its body.
    const earlier = epochs === undefined ? undefined : epochs.find((past) => lsn <= past.lsnMax);
    return formatEtag(earlier?.epoch ?? this.#epoch, lsn, ix);
  }

  /** Units of the same millisecond share it. */
  contextAt(nowMs: number): DecideContext {
    if (this.#context?.nowMs !== nowMs) {
      const { defaultTtl, uniqueKeys, partitionKeyPaths } = this;
      this.#context = { nowMs, defaultTtl, uniqueKeys, partitionKeyPaths };
    }
    return this.#context;
  }

  /** Read once, and not for every version: it may have thousands of paths. One that was stored before it was checked counts as none. */
  get previousImages(): PreviousImages | undefined {
    this.#previousImages ??= readPreviousImages(this.entry.definition.verbatim[previousImagePolicyName]);
    return 'images' in this.#previousImages ? this.#previousImages.images : undefined;
  }

  rangeOf(epk: Uint8Array): RangeState {
    let low = 0;
    let high = this.ranges.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.ranges[middle] as RangeState).minKey.compare(epk) <= 0) low = middle;
      else high = middle - 1;
    }
    return this.ranges[low] as RangeState;
  }

  rangeWithId(id: string): RangeState | undefined {
    return this.#rangesById.get(id);
  }

  isPurged(partitionKey: Buffer, lsn: number): boolean {
    if (this.purges.size === 0) return false;
    const purge = this.purges.get(partitionKey.toString('latin1'));
    return purge !== undefined && lsn <= purge.lsnMax;
  }

  isPurgedKey(key: Buffer, lsn: number): boolean {
    return isPurgedBy(this.purges, key, lsn);
  }
}

export function isPurgedBy(purges: ReadonlyMap<string, Purge>, key: Buffer, lsn: number): boolean {
  for (const { prefix, lsnMax } of purges.values()) {
    if (lsn <= lsnMax && key.subarray(0, prefix.length).equals(prefix)) return true;
  }
  return false;
}

/** A stored body without its last member: `,"_lsn":N}` has a known length. The bytes are copied. */
export function withoutLsn(body: Buffer, lsn: number): Buffer {
  const length = sizeWithoutLsn(body.length, lsn);
  const copy = Buffer.allocUnsafe(length);
  body.copy(copy, 0, 0, length - 1);
  copy[length - 1] = 0x7d;
  return copy;
}

export function sizeWithoutLsn(bodyBytes: number, lsn: number): number {
  return bodyBytes - lsnTailBytes(lsn) + 1;
}
