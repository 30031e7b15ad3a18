// Containers: their definitions, and how many ranges they begin with.

import type { ContainerInfo } from '@tidemark/engine';
import { formatContainerDefinition } from '@tidemark/engine/internal';
import { DatabaseError, databaseRid, defaultPartitionKeyPath, header } from '@tidemark/model';
import { metadataWriteCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import { throughputMax, throughputMin, throughputPerRange } from '../limits.ts';
import type { CosmosRequest, RequestHead } from '../request.ts';
import { ifMatchOf, jsonOf, textOfHeader } from '../request.ts';
import { findContainer, findDatabase } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { databaseOwner, emptyResponse, listResponse, resourceResponse } from '../response.ts';

export async function createContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(database, request.path);
  const ranges = rangesFor(throughputOf(request));
  const { info } = await database.createContainer(owner.id, definitionOf(request), { ranges });
  return resourceResponse(request, 201, resourceOf(info), databaseOwner(owner));
}

export function readContainer(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  return resourceResponse(request, 200, resourceOf(place.info), databaseOwner(place.database));
}

export function listContainers(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const owner = findDatabase(database, request.path);
  const values = database.containers(owner.id).map((each) => resourceOf(each).value);
  return listResponse(owner.rid, 'DocumentCollections', values, databaseOwner(owner));
}

export async function replaceContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const definition = definitionOf(request);
  if (!('id' in definition) || definition.id !== place.info.id) {
    throw new DatabaseError('invalid-definition', `The id in the body must be "${place.info.id}": it cannot change.`);
  }
  const { info } = await database.replaceContainer(place.database.id, definition, ifMatchOf(request));
  return resourceResponse(request, 200, resourceOf(info), databaseOwner(place.database));
}

export async function deleteContainer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  await database.deleteContainer(place.database.id, place.info.id, ifMatchOf(request));
  return emptyResponse(204, databaseOwner(place.database), metadataWriteCharge);
}

/** The first API version whose containers always have a partition key of their own. */
const partitionKeysSince = '2018-12-31';

/** Wire: older clients create containers without a partition key; their documents live under the key "none" (wire 6). */
function definitionOf(request: CosmosRequest): object {
  const definition = jsonOf(request);
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new DatabaseError('invalid-definition', 'The definition of a container must be a JSON object.');
  }
  const isOld = request.apiVersion !== undefined && request.apiVersion < partitionKeysSince;
  if (!isOld || 'partitionKey' in definition) return definition;
  return { ...definition, partitionKey: { paths: [defaultPartitionKeyPath], kind: 'Hash', systemKey: true } };
}

/** Request units a second, undefined when the client leaves it to the server. */
function throughputOf(request: RequestHead): number | undefined {
  const manual = textOfHeader(request, header.throughput);
  const autoscale = textOfHeader(request, header.autoscale);
  if (manual !== undefined && autoscale !== undefined) {
    throw new DatabaseError('bad-request', 'Give a throughput or autoscale settings, not both.');
  }
  const value = manual === undefined ? autoscaleMax(autoscale) : Number(manual);
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= throughputMin && value <= throughputMax) return value;
  const text = manual ?? autoscale;
  const message = `The throughput must be a whole number from ${throughputMin} to ${throughputMax}, not ${text}.`;
  throw new DatabaseError('bad-request', message);
}

function autoscaleMax(settings: string | undefined): number | undefined {
  if (settings === undefined) return undefined;
  try {
    const { maxThroughput } = JSON.parse(settings) as { maxThroughput?: unknown };
    return Number(maxThroughput);
  } catch (error) {
    throw new DatabaseError('bad-request', 'The autoscale settings are not valid JSON.', { cause: error });
  }
}

function rangesFor(throughput: number | undefined): number {
  return throughput === undefined ? 1 : Math.ceil(throughput / throughputPerRange);
}

function resourceOf(info: ContainerInfo): Resource {
  const value = {
    ...formatContainerDefinition(info.definition),
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
