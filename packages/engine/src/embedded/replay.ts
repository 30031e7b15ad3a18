// Turns a frame that was read from the log into the group it was written from, so that recovery and rebuild publish it
// exactly as the committer did.

import type { Version } from '../index/documents.ts';
import { isNewer } from '../index/documents.ts';
import { docKey, uniqueKey } from '../index/keys.ts';
import type { FrameView } from '../log/frame.ts';
import { operation, uniqueDigestBytes } from '../log/frame.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DurableGroup, StagedRecord } from '../state/group.ts';
import { catalogContainer, forEachUnique, placeOf, slicesOf } from '../state/group.ts';

export interface ReplaySource {
  readonly view: FrameView;
  readonly segment: number;
  readonly offset: number;
  /** The log position under which the index will know it. */
  readonly sequence: number;
}

export interface ReplayOptions {
  /** The latest version known so far, groups before this one included. */
  find(key: Buffer, keyText: string): Version | undefined;
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
      const found = replayRecord(source, run, record, options, latest);
      if (found === undefined) continue;
      const staged = withOwnDigests(found, view, record, holders, options);
      latest.set(staged.keyText, staged.version);
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
  staged: StagedRecord,
  view: FrameView,
  record: number,
  holders: ReadonlyMap<string, string | undefined>,
  options: ReplayOptions,
): StagedRecord {
  const { previous, container, partitionKey, id } = staged;
  if (previous === undefined || previous.uniqueDigests.length === 0) return staged;
  if (previous.lsn === view.previousLsn(record) && previous.ix === view.previousIx(record)) return staged;
  const isOwn = (key: number): boolean => {
    const unique = uniqueKey(
      container,
      partitionKey,
      key,
      previous.uniqueDigests.subarray(key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes),
    );
    const text = unique.toString('latin1');
    return (holders.has(text) ? holders.get(text) : options.findUniqueHolder(unique)) === id;
  };
  const own = Buffer.from(previous.uniqueDigests);
  for (let key = 0; key * uniqueDigestBytes < own.length; key += 1) {
    if (!isOwn(key)) own.fill(0, key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes);
  }
  return { ...staged, previous: { ...previous, uniqueDigests: own } };
}

function replayRecord(
  source: ReplaySource,
  run: number,
  record: number,
  options: ReplayOptions,
  latest: ReadonlyMap<string, Version | undefined>,
): StagedRecord | undefined {
  const { view } = source;
  const container = view.containerOfRun(run);
  const partitionKey = Buffer.from(view.partitionKey(record));
  const key = docKey(container, view.epk(record), partitionKey, view.id(record));
  const keyText = key.toString('latin1');
  const known = latest.has(keyText) ? latest.get(keyText) : options.find(key, keyText);
  const lsn = view.lsn(record);
  const ix = view.ix(record);
  if (known !== undefined && !isNewer({ lsn, ix }, known)) return undefined;
  const isDelete = view.operation(record) === operation.delete;
  const version: Version | undefined = isDelete
    ? undefined
    : {
        range: view.rangeOfRun(run),
        lsn,
        ix,
        timeMs: view.timeMs(record),
        ttl: view.ttl(record),
        ridNumber: view.ridNumber(record),
        uniqueDigests: Buffer.from(view.uniqueDigests(record)),
        place: placeOf(view, record, source.segment, source.offset),
        body: view.body(record),
      };
  return {
    container,
    range: view.rangeOfRun(run),
    key,
    keyText,
    partitionKey,
    id: view.id(record).toString('utf8'),
    // A replace whose original is gone is an insert for the index: its rid entry has to be written.
    isInsert: !isDelete && (known === undefined || known.ridNumber !== view.ridNumber(record)),
    version,
    previous: known,
    lsn,
    timeMs: view.timeMs(record),
    tombstoneBytes: isDelete ? view.recordBytes(record) : 0,
  };
}
