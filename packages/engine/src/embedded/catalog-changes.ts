// Databases and containers as changes of the catalog. Each function decides on the catalog as it is and gives the entry that
// is to be put, or the entries that go; nothing is changed here.

import { containerRid, DatabaseError, databaseRid, formatEtag, validateResourceName } from '@tidemark/model';
import type { ContainerDefinition } from '../container-definition.ts';
import type { MatchOptions } from '../named-resource.ts';
import type { ContainerInfo, DatabaseInfo, RangeInfo } from '../range-engine.ts';
import type { CatalogChange, ContainerEntry, DatabaseEntry, ResourceEntry } from '../state/catalog.ts';
import type { DatabaseState, ErasureValue, PurgeValue } from '../state/database-state.ts';
import { erasureKind, purgeKind } from '../state/database-state.ts';
import { firstRanges } from '../state/lineage.ts';
import type { RangeState } from '../state/range.ts';

export function newDatabase(state: DatabaseState, id: string): DatabaseEntry {
  validateResourceName(id, 'The database id');
  if (state.catalog.findDatabase(id) !== undefined) {
    throw new DatabaseError('conflict', `There is a database "${id}" already.`);
  }
  const timeMs = state.environment.clock.nowMs();
  return { type: 'database', number: state.catalog.takeNumber(), id, timeMs, version: 1 };
}

export function databaseRemoval(state: DatabaseState, id: string, options: MatchOptions): CatalogChange[] {
  const database = state.catalog.database(id);
  checkMatch(options, databaseInfo(state, database).etag);
  const containers = state.catalog.containers().filter((container) => container.database === database.number);
  return [
    ...state.catalog.named.inside(database.number).map(({ number }) => ({ remove: number })),
    ...containers.flatMap((container) => containerRemoval(state, container)),
    { remove: database.number },
  ];
}

export function newContainer(
  state: DatabaseState,
  database: string,
  definition: ContainerDefinition,
  options: { readonly ranges: number; readonly historyMs: number },
): ContainerEntry {
  const { catalog } = state;
  const owner = catalog.database(database);
  if (catalog.findContainerByName(owner.number, definition.id) !== undefined) {
    throw new DatabaseError('conflict', `There is a container "${definition.id}" already.`);
  }
  const ranges = firstRanges(definition, options.ranges, () => catalog.takeNumber());
  return {
    type: 'container',
    number: catalog.takeNumber(),
    database: owner.number,
    id: definition.id,
    definition,
    timeMs: state.environment.clock.nowMs(),
    version: 1,
    nextRangeId: ranges.length,
    ranges,
    gone: [],
    historyMs: options.historyMs,
    floorSecond: 0,
  };
}

export function replacedContainer(
  state: DatabaseState,
  container: number,
  definition: ContainerDefinition,
  options: { readonly historyMs: number } & MatchOptions,
): ContainerEntry {
  const { entry } = state.container(container);
  checkMatch(options, containerInfo(state, entry).etag);
  return {
    ...withHistory(state, container, options.historyMs),
    definition,
    timeMs: state.environment.clock.nowMs(),
    version: entry.version + 1,
  };
}

export function withHistory(state: DatabaseState, container: number, historyMs: number): ContainerEntry {
  const { entry, ranges } = state.container(container);
  if (entry.historyMs > 0 || historyMs === 0) return { ...entry, historyMs };
  // What was superseded before history was asked for is gone: history begins at the tail.
  return { ...entry, historyMs, ranges: ranges.map((range) => ({ ...range.entry, floorLsn: range.decidedLsn })) };
}

export function containerRemoval(
  state: DatabaseState,
  container: ContainerEntry,
  options: MatchOptions = {},
): CatalogChange[] {
  checkMatch(options, containerInfo(state, container).etag);
  const purges = state.catalog.resources(purgeKind);
  // Only this engine writes resources of this kind.
  const own = purges.filter(({ value }) => (value as PurgeValue).container === container.number);
  // Nothing is decided on top of it: what came after the container went would stay in the index when its job has ended.
  for (const range of state.container(container.number).ranges) range.isSealed = true;
  const inside = state.catalog.named.inside(container.number);
  return [
    ...[...inside, ...own].map(({ number }) => ({ remove: number })),
    { remove: container.number },
    { put: newErasure(state, container) },
  ];
}

/** What the index has of a container that is gone is erased by a job, however much it is. */
function newErasure(state: DatabaseState, container: ContainerEntry): ResourceEntry {
  const ranges = container.ranges.flatMap((range) => [range.number, ...range.ancestors.map(({ number }) => number)]);
  const value: ErasureValue = { container: container.number, ranges: [...new Set(ranges)] };
  return { type: 'resource', number: state.catalog.takeNumber(), kind: erasureKind, value };
}

/**
 * From the moment this is published the documents of the partition key are gone, for decisions from now on; a job takes their
 * records away.
 */
export function newPurge(
  state: DatabaseState,
  container: number,
  partitionKey: { readonly bytes: Buffer; readonly epk: Buffer },
): ResourceEntry {
  const value: PurgeValue = {
    container,
    partitionKey: partitionKey.bytes.toString('latin1'),
    epk: partitionKey.epk.toString('latin1'),
    lsnMax: state.container(container).rangeOf(partitionKey.epk).decidedLsn,
  };
  state.stagePurge(value);
  // One job for each key: a later delete takes the place of one that is still under way.
  const underWay = state.container(container).purges.get(value.partitionKey);
  return { type: 'resource', number: underWay?.number ?? state.catalog.takeNumber(), kind: purgeKind, value };
}

/** Wire: the quotes are a part of the etag, but not every client sends them. */
export function checkMatch({ ifMatch }: MatchOptions, etag: string): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === etag || ifMatch === `"${etag}"`) return;
  const message = 'Operation cannot be performed because one of the specified precondition is not met.';
  throw new DatabaseError('precondition-failed', message);
}

// Entries never change, they are replaced: what follows from one is worked out once, and the same object is given to all.
const databaseInfos = new WeakMap<DatabaseEntry, DatabaseInfo>();
const containerInfos = new WeakMap<ContainerEntry, ContainerInfo>();

export function databaseInfo(state: DatabaseState, entry: DatabaseEntry): DatabaseInfo {
  const known = databaseInfos.get(entry);
  if (known !== undefined) return known;
  const { number, id, timeMs, version } = entry;
  const info = { number, id, rid: databaseRid(number), etag: formatEtag(state.epoch, version, number), timeMs };
  databaseInfos.set(entry, info);
  return info;
}

export function containerInfo(state: DatabaseState, entry: ContainerEntry): ContainerInfo {
  const known = containerInfos.get(entry);
  if (known !== undefined) return known;
  const info = makeContainerInfo(state, entry);
  containerInfos.set(entry, info);
  return info;
}

function makeContainerInfo(state: DatabaseState, entry: ContainerEntry): ContainerInfo {
  const { number, database, id, timeMs, definition, historyMs, version, rangesWanted } = entry;
  const rid = containerRid(database, number);
  const etag = formatEtag(state.epoch, version, number);
  const growth = rangesWanted === undefined ? {} : { rangesWanted };
  return { number, database, id, rid, etag, timeMs, definition, historyMs, ...growth };
}

export function rangeInfo(range: RangeState): RangeInfo {
  const { id, min, max, parents, floorLsn } = range.entry;
  return {
    id,
    min,
    max,
    parents,
    tailLsn: range.tailLsn,
    floorLsn,
    sizeBytes: range.bytes,
    documents: range.documents,
  };
}
