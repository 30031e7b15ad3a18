// All versions and deletes: every record that history keeps, each in its envelope.
//
//   {"current":{…},"previous":{…},"metadata":{"lsn":…,"crts":…,"operationType":"create"|"replace"|"delete", …}}
//
// Wire: `current` of a delete is an empty object, and only a delete names its id and partition key (wire 11.7). Documents in it have no
// `_lsn`, which is in the metadata: `previous` is, member for member, what `current` was (wire-2026 1).

import { Buffer } from 'node:buffer';
import { decodePartitionKeyBytes } from '@tidemark/model';
import { operation, recordFlag } from '../log/frame.ts';
import { corrupt, segmentPath } from '../log/segment.ts';
import type { PreviousImages } from '../previous-image-policy.ts';
import type { ContainerState } from '../state/container-state.ts';
import { withoutLsn } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import type { Stretch } from './lineage-walk.ts';
import { LineageWalk } from './lineage-walk.ts';
import type { PageBuilder } from './page.ts';
import { projected } from './projection.ts';

export interface VersionsFilter {
  readonly partitionKey: { readonly bytes: Buffer } | undefined;
  /** All of them, whatever the container's policy is. */
  readonly previousImages: boolean;
}

/** Adds the versions of a stretch. Resolves to false when the page was full before the stretch was used up. */
export async function addVersions(
  page: PageBuilder,
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  stretch: Stretch,
  filter: VersionsFilter,
): Promise<boolean> {
  const { view } = stretch;
  const images = filter.previousImages ? everyImage : container.previousImages;
  for (let record = stretch.first; record < stretch.end; record += 1) {
    const lsn = view.lsn(record);
    if (lsn > page.lastLsn && page.isFull) return false;
    page.lastLsn = lsn;
    if (stretch.filter !== undefined) {
      const epk = view.epk(record);
      if (stretch.filter.min.compare(epk) > 0 || stretch.filter.max.compare(epk) <= 0) continue;
    }
    if (filter.partitionKey !== undefined && view.partitionKey(record).compare(filter.partitionKey.bytes) !== 0)
      continue;
    page.add(await envelope(state, container, range, stretch, record, images), 1);
  }
  return true;
}

async function envelope(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  stretch: Stretch,
  record: number,
  images: PreviousImages | undefined,
): Promise<Buffer> {
  const { view } = stretch;
  const { slice, isUnverified } = stretch.loaded;
  const isDelete = view.operation(record) === operation.delete;
  const isExpiry = (view.flags(record) & recordFlag.expiry) !== 0;
  if (!isDelete && isUnverified && !view.verifyBody(record)) {
    const offset = slice.offset + view.bodyOffset(record);
    throw corrupt(segmentPath(slice.segment), offset, 'the checksum of a document is wrong');
  }
  const parts: Buffer[] = [
    Buffer.from('{"current":'),
    isDelete ? Buffer.from('{}') : withoutLsn(view.body(record), view.lsn(record)),
  ];
  const previousLsn = view.previousLsn(record);
  if (previousLsn > 0 && wantsPrevious(images, isDelete, isExpiry)) {
    const previous = await findVersion(state, range, view.epk(record), previousLsn, view.previousIx(record));
    if (previous !== undefined) parts.push(Buffer.from(',"previous":'), shownOf(previous, previousLsn, images));
  }
  const metadata = {
    lsn: view.lsn(record),
    crts: Math.floor(view.timeMs(record) / 1000),
    operationType: operationNames[view.operation(record)],
    ...(previousLsn > 0 ? { previousImageLSN: previousLsn } : {}),
    ...(isDelete ? deleteMetadata(container, stretch, record, isExpiry) : {}),
  };
  parts.push(Buffer.from(`,"metadata":${JSON.stringify(metadata)}}`));
  return Buffer.concat(parts);
}

const everyImage: PreviousImages = { ofReplaces: true, ofDeletes: true, paths: undefined };

/**
 * The container's policy as it is now counts for all of its history. Wire: without one only a delete that somebody asked for carries
 * what it deleted (wire 11.7).
 */
function wantsPrevious(images: PreviousImages | undefined, isDelete: boolean, isExpiry: boolean): boolean {
  if (images === undefined) return isDelete && !isExpiry;
  return isDelete ? images.ofDeletes : images.ofReplaces;
}

function shownOf(previous: Buffer, lsn: number, images: PreviousImages | undefined): Buffer {
  const document = withoutLsn(previous, lsn);
  return images?.paths === undefined ? document : projected(document, images.paths);
}

function deleteMetadata(container: ContainerState, stretch: Stretch, record: number, isExpiry: boolean): object {
  const { view } = stretch;
  return {
    ...(isExpiry ? { timeToLiveExpired: true } : {}),
    id: view.id(record).toString('utf8'),
    partitionKey: partitionKeyObject(container, view.partitionKey(record)),
  };
}

const operationNames: Readonly<Record<number, string>> = {
  [operation.create]: 'create',
  [operation.replace]: 'replace',
  [operation.delete]: 'delete',
};

/** The body of the version at this position, where it is still kept. */
async function findVersion(
  state: DatabaseState,
  range: RangeState,
  epk: Buffer,
  lsn: number,
  ix: number,
): Promise<Buffer | undefined> {
  const walk = new LineageWalk(state, range, lsn - 1, undefined, { needsTables: true });
  for (;;) {
    const stretch = await walk.next(roomForOne);
    if (stretch?.kind !== 'records') return undefined;
    const { view } = stretch;
    const { slice, isUnverified } = stretch.loaded;
    for (let record = stretch.first; record < stretch.end; record += 1) {
      if (view.lsn(record) > lsn) return undefined;
      // After a merge two ancestors may have used one LSN; the key tells them apart.
      if (view.ix(record) !== ix || view.epk(record).compare(epk) !== 0) continue;
      if (view.bodyLength(record) === 0) return undefined;
      if (isUnverified && !view.verifyBody(record)) {
        const offset = slice.offset + view.bodyOffset(record);
        throw corrupt(segmentPath(slice.segment), offset, 'the checksum of a previous version is wrong');
      }
      return view.body(record);
    }
  }
}

const roomForOne = { itemsLeft: 1, bytesLeft: 1 };

/** `{"pk":"a"}`: every path without its slash, every level of the key; an absent value is left out. */
function partitionKeyObject(container: ContainerState, bytes: Buffer): Record<string, unknown> {
  const values = decodePartitionKeyBytes(bytes);
  const names = container.entry.definition.partitionKey.paths;
  const entries = names.map((path, level) => [path.slice(1), values[level]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
