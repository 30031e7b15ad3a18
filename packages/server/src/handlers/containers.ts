// Containers: their definitions, and how many ranges they begin with.

import type { ContainerInfo } from '@tidemark/engine';
import { formatContainerDefinition, splitBytes } from '@tidemark/engine/internal';
import {
  DatabaseError,
  databaseRid,
  defaultPartitionKeyPath,
  defaultThroughput,
  header,
  newOffer,
  rangesForThroughput,
} from '@tidemark/model';
import { metadataWriteCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import type { HeaderList } from '../header-list.ts';
import { findOffer, requestedThroughput } from '../offer.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, isHeaderTrue, jsonOf } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import type { Place } from '../resources.ts';
import { findContainer, findDatabase } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { databaseOwner, emptyResponse, resourceResponse } from '../response.ts';

export async function createContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(database, request.path);
  // In a database with throughput of its own a container shares it, unless it asks for more.
  const isShared = findOffer(database, owner.number) !== undefined;
  const throughput = requestedThroughput(request) ?? (isShared ? undefined : defaultThroughput);
  const options =
    throughput === undefined ? {} : { ranges: rangesForThroughput(throughput), offer: newOffer(throughput) };
  const { info } = await database.createContainer(owner.id, definitionOf(request), options);
  return resourceResponse(request, 201, resourceOf(request, info), databaseOwner(owner));
}

export function readContainer(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  const quota = isHeaderTrue(request, header.populateQuota) ? quotaHeaders(place) : [];
  return resourceResponse(request, 200, resourceOf(request, place.info), [...databaseOwner(place.database), ...quota]);
}

/** Listed or queried. */
export function listContainers(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(context.database, request.path);
  const list = { ownerRid: owner.rid, arrayName: 'DocumentCollections', headers: databaseOwner(owner) };
  const containers = context.database.containers(owner.id);
  return resourcesResponse(request, context, list, containers, (each) => resourceOf(request, each).value);
}

export async function replaceContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const definition = definitionOf(request);
  if (!('id' in definition) || definition.id !== place.info.id) {
    throw new DatabaseError('invalid-definition', `The id in the body must be "${place.info.id}": it cannot change.`);
  }
  const { info } = await database.replaceContainer(place.database.id, definition, ifMatchOf(request));
  return resourceResponse(request, 200, resourceOf(request, info), databaseOwner(place.database));
}

export async function deleteContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  await database.deleteContainer(place.database.id, place.info.id, ifMatchOf(request));
  return emptyResponse(204, databaseOwner(place.database), metadataWriteCharge);
}

/** The first API version whose containers always have a partition key of their own. */
const partitionKeysSince = '2018-12-31';

function knowsPartitionKeys({ apiVersion }: CosmosRequest): boolean {
  return apiVersion === undefined || apiVersion >= partitionKeysSince;
}

/** Wire: older clients create containers without a partition key; their documents live under the key "none" (wire 6). */
function definitionOf(request: CosmosRequest): object {
  const definition = jsonOf(request);
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new DatabaseError('invalid-definition', 'The definition of a container must be a JSON object.');
  }
  if (knowsPartitionKeys(request) || 'partitionKey' in definition) return definition;
  return { ...definition, partitionKey: { paths: [defaultPartitionKeyPath], kind: 'Hash', systemKey: true } };
}

/**
 * Wire: such a container is shown to older clients as they made it, and to newer ones without a version (wire 6). Older ones know
 * no version, and look for the definition that they sent.
 */
function shownDefinition(request: CosmosRequest, { definition }: ContainerInfo): object {
  const { partitionKey, ...rest } = formatContainerDefinition(definition);
  if (definition.partitionKey.systemKey !== true) {
    const { version, ...unversioned } = definition.partitionKey;
    return { ...rest, partitionKey: version === 1 && !knowsPartitionKeys(request) ? unversioned : partitionKey };
  }
  if (!knowsPartitionKeys(request)) return rest;
  return { ...rest, partitionKey: { paths: definition.partitionKey.paths, kind: 'Hash', systemKey: true } };
}

/**
 * Wire: sizes in KiB, but for the first of them in MiB; -1 is without a limit. A range is split at 10 GiB, so that many ranges are
 * what a container can hold at present. The figures are kept with every write, so that nothing is counted here.
 */
function quotaHeaders({ container }: Place): HeaderList {
  const { ranges } = container;
  const usedKiB = Math.ceil(ranges.reduce((sum, range) => sum + range.sizeBytes, 0) / 1024);
  const documents = ranges.reduce((sum, range) => sum + range.documents, 0);
  const quotaKiB = ranges.length * (splitBytes / 1024);
  return [
    header.resourceQuota,
    `documentSize=${quotaKiB / 1024};documentsSize=${quotaKiB};documentsCount=-1;collectionSize=${quotaKiB};`,
    header.resourceUsage,
    `documentSize=${Math.floor(usedKiB / 1024)};documentsSize=${usedKiB};documentsCount=${documents};collectionSize=${usedKiB};`,
    // No read waits for an index that a new policy would have to build.
    header.indexProgress,
    '100',
  ];
}

function resourceOf(request: CosmosRequest, info: ContainerInfo): Resource {
  const value = {
    ...shownDefinition(request, info),
    _rid: info.rid,
    _ts: Math.floor(info.timeMs / 1000),
    _self: `dbs/${databaseRid(info.database)}/colls/${info.rid}/`,
    _etag: `"${info.etag}"`,
    _docs: 'docs/',
    _sprocs: 'sprocs/',
    _triggers: 'triggers/',
    _udfs: 'udfs/',
    _conflicts: 'conflicts/',
  };
  return { value, etag: info.etag, timeMs: info.timeMs };
}
