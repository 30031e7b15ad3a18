// Work that goes on by itself, in small steps through the ordinary write path: expiry, history, deletes by partition key.
// Each call does a bounded piece; whoever runs them calls again.

import { Buffer } from 'node:buffer';
import { decodePartitionKeyBytes, effectiveKey, isDatabaseError } from '@tidemark/model';
import { LineageWalk } from '../feed/lineage-walk.ts';
import { lsnFloorAt } from '../feed/time.ts';
import type { Version } from '../index/documents.ts';
import { decodeVersion } from '../index/documents.ts';
import type { IndexChange } from '../index/index-store.ts';
import { dueTtlBounds, metaKey, metaKind, partitionBounds, tree, treeBounds } from '../index/keys.ts';
import { decodeTtlValue } from '../index/ttl-values.ts';
import { jobDocumentsMax, readBytesMax, scanBytesMax, scanEntriesMax } from '../limits.ts';
import { operation } from '../log/frame.ts';
import type { RangeEngine } from '../range-engine.ts';
import type { CatalogChange, ContainerEntry } from '../state/catalog.ts';
import type { ContainerState, Purge } from '../state/container-state.ts';
import type { DatabaseState, ErasureValue } from '../state/database-state.ts';
import { erasureKind } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import { readVersion } from '../state/read-documents.ts';
import type { WriteCommand } from '../write/command.ts';
import { decide } from '../write/decide.ts';
import type { IndexWriter } from './index-writer.ts';

/** What jobs need of the engine that runs them. */
export interface JobHost extends Pick<RangeEngine, 'commit'> {
  readonly state: DatabaseState;
  readonly writer: IndexWriter;
  changeCatalog<T>(decide: () => { readonly changes: readonly CatalogChange[]; result(): T }): Promise<T>;
}

interface Target {
  readonly partitionKey: Buffer;
  readonly command: WriteCommand;
}

/** Deletes documents whose time is over. Resolves with how many. */
export async function sweepExpired(host: JobHost, container: ContainerState): Promise<number> {
  if (container.defaultTtl === undefined) return 0;
  const own = dueWithOwnTtl(host.state, container);
  let { deleted } = await runAll(host, container, own);
  if (container.defaultTtl > 0) {
    for (const range of container.ranges) deleted += await sweepByDefault(host, container, range, container.defaultTtl);
  }
  return deleted;
}

function dueWithOwnTtl(state: DatabaseState, container: ContainerState): Target[] {
  const second = Math.floor(state.environment.clock.nowMs() / 1000);
  const due = state.index.range({ ...dueTtlBounds(container.number, second), limit: jobDocumentsMax });
  return due.map(({ value }) => {
    const { partitionKey, id } = decodeTtlValue(value);
    return { partitionKey, command: { kind: 'expire', id } };
  });
}

/** Documents without a ttl of their own expire in the order of the log: the walk stops at the first that is not due. */
async function sweepByDefault(
  host: JobHost,
  container: ContainerState,
  range: RangeState,
  defaultTtl: number,
): Promise<number> {
  const nowSecond = Math.floor(Math.max(host.state.environment.clock.nowMs(), range.tailTimeMs) / 1000);
  const layout = await host.state.steadyLayout();
  const start = sweptLsn(host.state, range);
  const walk = new LineageWalk(host.state, range, start, undefined, { needsTables: true });
  const room = { itemsLeft: jobDocumentsMax, bytesLeft: readBytesMax };
  const targets: Target[] = [];
  let swept = start;
  let isDone = false;
  while (!isDone && targets.length < jobDocumentsMax && walk.bytesRead < scanBytesMax) {
    const stretch = await walk.next(room);
    if (stretch?.kind !== 'records') break;
    const { view } = stretch;
    const { superseded } = stretch.loaded;
    for (let record = stretch.first; record < stretch.end; record += 1) {
      const lsn = view.lsn(record);
      // The last LSN may have more records than have been looked at; it is looked at again.
      if (targets.length >= jobDocumentsMax && lsn > swept) {
        isDone = true;
        break;
      }
      if (Math.floor(view.timeMs(record) / 1000) + defaultTtl > nowSecond) {
        isDone = true;
        break;
      }
      swept = lsn;
      const ordinal = view.header.firstOrdinal + record;
      const isSuperseded = ((superseded[ordinal >>> 3] ?? 0) & (1 << (ordinal & 7))) !== 0;
      if (isSuperseded || view.operation(record) === operation.delete || view.ttl(record) !== undefined) continue;
      if (stretch.filter !== undefined) {
        const epk = view.epk(record);
        if (stretch.filter.min.compare(epk) > 0 || stretch.filter.max.compare(epk) <= 0) continue;
      }
      const partitionKey = Buffer.from(view.partitionKey(record));
      targets.push({ partitionKey, command: { kind: 'expire', id: view.id(record).toString('utf8') } });
    }
  }
  const { deleted, refused } = await runAll(host, container, targets);
  // Under a compaction the walk may have missed some, and a split refuses all: the next one starts from where this one did.
  const isComplete = refused === 0 && host.state.layout === layout;
  if (swept > start && isComplete) await rememberSwept(host, range, swept);
  return deleted;
}

/** How far the sweep has come in this range, or in the range it descends from. */
function sweptLsn(state: DatabaseState, range: RangeState): number {
  const numbers = [range.number, ...range.entry.ancestors.map((ancestor) => ancestor.number).reverse()];
  const known = numbers.map((number) => state.index.get(metaKey(metaKind.job, number)));
  const own = known[0];
  if (own !== undefined) return own.readDoubleLE(0);
  // After a merge the one that has come less far counts.
  const inherited = known
    .slice(1)
    .filter((value) => value !== undefined)
    .map((value) => value.readDoubleLE(0));
  return inherited.length === 0 || inherited.length < range.entry.ancestors.length ? 0 : Math.min(...inherited);
}

async function rememberSwept(host: JobHost, range: RangeState, lsn: number): Promise<void> {
  const value = Buffer.alloc(8);
  value.writeDoubleLE(lsn, 0);
  await host.writer.exclusively((index) => index.apply([{ key: metaKey(metaKind.job, range.number), value }]));
}

/** Raises the floor of a container's history. What lies below is left out by the compactions that follow. */
export async function trimHistory(host: JobHost, container: ContainerState): Promise<void> {
  const { historyMs } = container.entry;
  if (historyMs === 0) return;
  const second = Math.floor((host.state.environment.clock.nowMs() - historyMs) / 1000);
  if (second <= container.entry.floorSecond) return;
  await host.changeCatalog(() => {
    const { entry, ranges } = host.state.container(container.number);
    const floors = new Map(ranges.map((range) => [range.number, lsnFloorAt(host.state, range, second)]));
    const put: ContainerEntry = {
      ...entry,
      floorSecond: Math.max(second, entry.floorSecond),
      ranges: entry.ranges.map((range) => ({ ...range, floorLsn: floors.get(range.number) ?? range.floorLsn })),
    };
    return { changes: [{ put }], result: () => undefined };
  });
}

/** Goes on with every delete by partition key that has been acknowledged. Resolves with how many documents went. */
export async function runPurges(host: JobHost): Promise<number> {
  let deleted = 0;
  for (const container of [...host.state.containers()]) {
    for (const purge of [...container.purges.values()]) deleted += await runPurge(host, container, purge);
  }
  return deleted;
}

async function runPurge(host: JobHost, container: ContainerState, purge: Purge): Promise<number> {
  const bounds = partitionBounds(container.number, purge.epk, purge.partitionKey);
  let { from } = bounds;
  let deleted = 0;
  let isFinished = true;
  for (;;) {
    const page = purgePage(host.state, from, bounds.to);
    const targets: Target[] = [];
    for (const { key, version } of page) {
      from = Buffer.concat([key, Buffer.from([0])]);
      if (version.lsn > purge.lsnMax) continue;
      isFinished = false;
      const body = await readVersion(host.state, version);
      // Undefined: moved meanwhile; the next round finds it.
      if (body === undefined) continue;
      // The id in a key may be shortened; the stored document has it in full.
      const { id } = JSON.parse(body.toString('utf8')) as { id: string };
      targets.push({ partitionKey: purge.partitionKey, command: { kind: 'purge', id, lsnMax: purge.lsnMax } });
    }
    deleted += (await runAll(host, container, targets)).deleted;
    if (page.length === 0) break;
  }
  // Only a round that finds nothing ends it: one that was refused, because of a split, would let the documents come back.
  if (!isFinished) return deleted;
  await host.changeCatalog(() => {
    const current = host.state.findContainer(container.number)?.purges.get(purge.partitionKey.toString('latin1'));
    // The key may have been deleted once more since: that is under the same number and not done yet.
    const isLast = current?.number === purge.number && current.lsnMax === purge.lsnMax;
    return { changes: isLast ? [{ remove: purge.number }] : [], result: () => undefined };
  });
  return 0;
}

function purgePage(
  state: DatabaseState,
  from: Buffer,
  to: Buffer,
): { readonly key: Buffer; readonly version: Version }[] {
  const indexed = state.index.range({ from, to, limit: jobDocumentsMax });
  return indexed.map(({ key, value }) => ({ key, version: decodeVersion(value) }));
}

/** Runs each command as a unit of its own; resolves with how many deleted something, and how many have to be tried again. */
async function runAll(
  host: JobHost,
  container: ContainerState,
  targets: readonly Target[],
): Promise<{ readonly deleted: number; readonly refused: number }> {
  const results = await Promise.all(targets.map((target) => runOne(host, container, target)));
  const count = (wanted: (typeof results)[number]) => results.filter((result) => result === wanted).length;
  return { deleted: count('deleted'), refused: count('refused') };
}

async function runOne(
  host: JobHost,
  container: ContainerState,
  target: Target,
): Promise<'deleted' | 'unchanged' | 'refused'> {
  const values = decodePartitionKeyBytes(target.partitionKey);
  const epk = Buffer.from(effectiveKey(container.entry.definition.partitionKey, values));
  const unit = { partitionKey: { values, bytes: target.partitionKey, epk }, commands: [target.command] };
  try {
    const result = await host.commit(container.number, undefined, unit, decide);
    return result.isCommitted ? 'deleted' : 'unchanged';
  } catch (error) {
    // The container is gone: the next round sees to it.
    if (isDatabaseError(error) && error.code === 'container-not-found') return 'refused';
    throw error;
  }
}

/** Takes what the index still has of deleted containers out of it. Resolves with how many entries went. */
export async function runErasures(host: JobHost): Promise<number> {
  const [erasure] = host.state.catalog.resources(erasureKind);
  if (erasure === undefined) return 0;
  // Only this engine writes resources of this kind.
  const { container, ranges } = erasure.value as ErasureValue;
  const bounds = [
    ...(['doc', 'rid', 'ttl', 'unique'] as const).map((name) => treeBounds(name, container)),
    ...ranges.flatMap((range) => (['frames', 'time'] as const).map((name) => treeBounds(name, range))),
  ];
  let erased = 0;
  // What was published before the container went may still be on its way into the index.
  await host.writer.drained();
  await host.writer.exclusively(async (index) => {
    const changes: IndexChange[] = [];
    for (const bound of bounds) {
      const found = index.range({ ...bound, limit: scanEntriesMax - changes.length });
      for (const { key } of found) changes.push({ key, value: undefined });
      if (changes.length >= scanEntriesMax) break;
    }
    erased = changes.length;
    // What is late would be found still, and get into the tree later.
    const documents = changes.filter(({ key }) => key[0] === tree.doc);
    for (const { key } of documents) host.state.index.remove(key, 0, key.length, host.state.index.hashOf(key));
    if (documents.length > 0) host.writer.noteEntered();
    for (const range of ranges) {
      changes.push({ key: metaKey(metaKind.range, range), value: undefined });
      changes.push({ key: metaKey(metaKind.job, range), value: undefined });
    }
    await index.apply(changes);
  });
  host.writer.forgetChunks(ranges);
  if (erased === 0) {
    await host.changeCatalog(() => ({ changes: [{ remove: erasure.number }], result: () => undefined }));
  }
  return erased;
}
