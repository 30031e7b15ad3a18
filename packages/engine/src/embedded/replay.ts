// Turns a frame that was read from the log into the group it was written from, so that recovery and rebuild publish it
// exactly as the committer did.

import { Buffer } from 'node:buffer';
import type { Version } from '../index/documents.ts';
import { isNewer } from '../index/documents.ts';
import { docKey, uniqueKey } from '../index/keys.ts';
import type { OperationNumber } from '../log/frame.ts';
import { operation, uniqueDigestBytes } from '../log/frame.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DurableGroup, FramePlace, Staging, UniqueOwner } from '../state/group.ts';
import { catalogContainer, forEachUnique, StagedRecord, slicesOf } from '../state/group.ts';
import { KeySlab } from '../state/key-slab.ts';

export interface ReplaySource extends FramePlace {
  /** The log position under which the index will know it. */
  readonly sequence: number;
}

const noDigests: Buffer = Buffer.alloc(0);

export interface ReplayOptions {
  /** The latest version known so far, groups before this one included. */
  find(key: Buffer, hash: number): Version | undefined;
  hashOf(key: Buffer): number;
  /** The id of the document that holds this unique key so far. */
  findUniqueHolder(key: Buffer): string | undefined;
  hasContainer(container: number): boolean;
  /** False while a snapshot of the catalog says more than the frames that are replayed. */
  readonly appliesCatalog: boolean;
}

export function replayFrame(source: ReplaySource, options: ReplayOptions): DurableGroup {
  const { view } = source;
  const records: StagedRecord[] = [];
  const changes: CatalogChange[] = [];
  const latest = new Map<string, Version | undefined>();
  const holders = new Map<string, string | undefined>();
  const slab = new KeySlab();
  for (let run = 0; run < view.header.runCount; run += 1) {
    const container = view.containerOfRun(run);
    const first = view.firstRecordOfRun(run);
    const end = first + view.recordCountOfRun(run);
    if (container === catalogContainer) {
      // The frame's checksum vouches for the text.
      if (options.appliesCatalog) changes.push(...(JSON.parse(view.body(first).toString('utf8')) as CatalogChange[]));
      continue;
    }
    if (!options.hasContainer(container)) continue;
    for (let record = first; record < end; record += 1) {
      const staged = replayRecord(source, run, record, options, latest, holders, slab);
      if (staged === undefined) continue;
      latest.set(staged.keys.toString('latin1', staged.keyStart, staged.keyEnd), staged.version);
      forEachUnique(staged, (key, id) => holders.set(key.toString('latin1'), id));
      records.push(staged);
    }
  }
  const slices = slicesOf(view, source.segment, source.offset).filter(({ slice }) =>
    options.hasContainer(view.containerOfRun(slice.run)),
  );
  return {
    sequence: source.sequence,
    segment: source.segment,
    endOffset: source.offset + view.header.length,
    view,
    space: undefined,
    records,
    slices,
    changes,
  };
}

/**
 * The version before may have been dropped by compaction while an older one is still there. What that one held may belong to
 * another document by now, from which it must not be taken.
 */
function withOwnDigests(
  previous: Version | undefined,
  record: number,
  container: number,
  owner: UniqueOwner,
  source: ReplaySource,
  holders: ReadonlyMap<string, string | undefined>,
  options: ReplayOptions,
): Version | undefined {
  const { view } = source;
  if (previous === undefined || previous.uniqueDigests.length === 0) return previous;
  if (previous.lsn === view.previousLsn(record) && previous.ix === view.previousIx(record)) return previous;
  const isOwn = (key: number): boolean => {
    const unique = uniqueKey(
      container,
      owner.partitionKey,
      key,
      previous.uniqueDigests.subarray(key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes),
    );
    const text = unique.toString('latin1');
    return (holders.has(text) ? holders.get(text) : options.findUniqueHolder(unique)) === owner.id;
  };
  const own = Buffer.from(previous.uniqueDigests);
  for (let key = 0; key * uniqueDigestBytes < own.length; key += 1) {
    if (!isOwn(key)) own.fill(0, key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes);
  }
  const { range, lsn, ix, timeMs, ttl, ridNumber, place, body } = previous;
  return { range, lsn, ix, timeMs, ttl, ridNumber, uniqueDigests: own, place, body };
}

function replayRecord(
  source: ReplaySource,
  run: number,
  record: number,
  options: ReplayOptions,
  latest: ReadonlyMap<string, Version | undefined>,
  holders: ReadonlyMap<string, string | undefined>,
  slab: KeySlab,
): StagedRecord | undefined {
  const { view } = source;
  const container = view.containerOfRun(run);
  const partitionKey = view.partitionKey(record);
  const key = docKey(container, view.epk(record), partitionKey, view.id(record));
  const keyText = key.toString('latin1');
  const hash = options.hashOf(key);
  const known = latest.has(keyText) ? latest.get(keyText) : options.find(key, hash);
  const lsn = view.lsn(record);
  const ix = view.ix(record);
  if (known !== undefined && !isNewer({ lsn, ix }, known)) return undefined;
  const number = view.operation(record) as OperationNumber; // The frame's checksum vouches for it.
  const isDelete = number === operation.delete;
  const ridNumber = view.ridNumber(record);
  const uniqueDigests = isDelete ? noDigests : Buffer.from(view.uniqueDigests(record));
  const hasDigests = uniqueDigests.length + (known?.uniqueDigests.length ?? 0) > 0;
  const owner: UniqueOwner | undefined = hasDigests
    ? { partitionKey: Buffer.from(partitionKey), id: view.id(record).toString('utf8') }
    : undefined;
  const previous =
    owner === undefined ? known : withOwnDigests(known, record, container, owner, source, holders, options);
  const input = { operation: number, lsn, ix, timeMs: view.timeMs(record), ttl: view.ttl(record), ridNumber };
  const staging: Staging = {
    key: { slab, start: slab.add(key), bytes: key.length, hash },
    // A replace whose original is gone is an insert for the index: its rid entry has to be written.
    isInsert: !isDelete && (known === undefined || known.ridNumber !== ridNumber),
    uniqueDigests,
    recordBytes: view.recordBytes(record),
    owner,
    previous,
  };
  return new StagedRecord(container, view.rangeOfRun(run), input, staging, source, record);
}
