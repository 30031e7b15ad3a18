// Offers: read, listed, found by what they are for, and changed. They come and go with their database or container.

import type { Database, NamedInfo } from '@tidemark/engine';
import type { Throughput } from '@tidemark/model';
import {
  autoscaleThroughput,
  changedOffer,
  containerRid,
  DatabaseError,
  databaseRid,
  header,
  leastThroughput,
  manualThroughput,
  migrated,
  peakOf,
  rangesForThroughput,
} from '@tidemark/model';
import type { HandlerContext } from '../handler.ts';
import { offerOf } from '../offer.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, isHeaderTrue, jsonOf } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { resourceResponse } from '../response.ts';

/** Listed or queried. Wire: clients find an offer by its `resource` or by its `offerResourceId`. */
export function listOffers(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const list = { ownerRid: '', arrayName: 'Offers', headers: [] };
  return resourcesResponse(request, context, list, context.database.resources.list('offer'), offerValue);
}

export function readOffer(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  return offerResponse(request, database, findByPath(request, database));
}

export async function replaceOffer(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const before = findByPath(request, database);
  const body = jsonOf(request);
  checkIdentity(before, body);
  const throughput = wantedThroughput(request, before, body);
  const value = changedOffer(offerOf(before), throughput);
  const after = await database.resources.replace(before.number, { value }, ifMatchOf(request));
  const [, container] = after.owners;
  const ranges = rangesForThroughput(throughput);
  // Also when it is only said again: if the process died in between, saying it again has to help.
  if (container !== undefined) await database.engine.grow(container, ranges);
  return offerResponse(request, database, after);
}

function findByPath(request: CosmosRequest, database: Database): NamedInfo {
  const rid = request.path.ids[0] ?? '';
  const found = database.resources.findByRid('offer', rid);
  if (found !== undefined) return found;
  throw new DatabaseError('not-found', `Resource Not Found: there is no offer "${rid}".`);
}

/** Wire: an offer says which one it is, and cannot be turned into that of something else (wire 6). */
function checkIdentity(info: NamedInfo, body: unknown): void {
  const { rid, self } = ownerOf(info);
  if (member(body, 'id') === undefined && member(body, '_rid') === undefined) {
    throw new DatabaseError('bad-request', 'The body of an offer has its id and _rid, as they were read.');
  }
  const fixed = { id: info.rid, _rid: info.rid, resource: self, offerResourceId: rid, offerVersion: 'V2' };
  for (const [name, value] of Object.entries(fixed)) {
    const given = member(body, name);
    if (given === undefined || given === value) continue;
    const message = `The ${name} of an offer cannot change; it is ${JSON.stringify(value)}.`;
    throw new DatabaseError('bad-request', message);
  }
}

function wantedThroughput(request: CosmosRequest, info: NamedInfo, body: unknown): Throughput {
  const offer = offerOf(info);
  const toAutoscale = isHeaderTrue(request, header.migrateToAutoscale);
  const toManual = isHeaderTrue(request, header.migrateToManual);
  if (toAutoscale && toManual) {
    throw new DatabaseError('bad-request', 'An offer goes to autoscale or to manual throughput, not to both.');
  }
  if (toAutoscale) return migrated(offer, 'autoscale');
  if (toManual) return migrated(offer, 'manual');
  const content = member(body, 'content');
  const settings = member(content, 'offerAutopilotSettings') ?? undefined;
  if (offer.throughput.kind === 'manual') {
    if (settings === undefined) return manualThroughput(member(content, 'offerThroughput'));
    throw new DatabaseError('bad-request', `A manual offer goes to autoscale with ${header.migrateToAutoscale}: true.`);
  }
  // The throughput that is there beside the settings is what the client has read, not what it wants.
  if (settings !== undefined) return autoscaleThroughput(settings);
  throw new DatabaseError('bad-request', `An autoscale offer goes to manual with ${header.migrateToManual}: true.`);
}

function offerResponse(request: CosmosRequest, database: Database, info: NamedInfo): CosmosResponse {
  const offer = offerOf(info);
  const [, container] = info.owners;
  const isPending = container !== undefined && database.engine.container(container).rangesWanted !== undefined;
  const resource: Resource = { value: offerValue(info), etag: info.etag, timeMs: info.timeMs };
  return resourceResponse(request, 200, resource, [
    header.offerReplacePending,
    String(isPending),
    header.throughputLeast,
    String(leastThroughput(offer, offer.throughput.kind)),
  ]);
}

function ownerOf({ owners }: NamedInfo): { readonly rid: string; readonly self: string } {
  const [database = 0, container] = owners;
  const rid = databaseRid(database);
  if (container === undefined) return { rid, self: `dbs/${rid}/` };
  const inner = containerRid(database, container);
  return { rid: inner, self: `dbs/${rid}/colls/${inner}/` };
}

function offerValue(info: NamedInfo): object {
  const { throughput, unitsPerSecondEver } = offerOf(info);
  const { rid, self } = ownerOf(info);
  return {
    offerVersion: 'V2',
    resource: self,
    offerType: 'Invalid',
    offerResourceId: rid,
    id: info.rid,
    content: {
      // Wire: autoscale shows the tenth of its maximum that is always there.
      offerThroughput: throughput.kind === 'manual' ? throughput.unitsPerSecond : peakOf(throughput) / 10,
      offerIsRUPerMinuteThroughputEnabled: false,
      offerMinimumThroughputParameters: { maxThroughputEverProvisioned: unitsPerSecondEver },
      ...(throughput.kind === 'manual' ? {} : { offerAutopilotSettings: settingsOf(throughput) }),
    },
    _rid: info.rid,
    _self: `offers/${info.rid}/`,
    _etag: `"${info.etag}"`,
    _ts: Math.floor(info.timeMs / 1000),
  };
}

function settingsOf(throughput: Extract<Throughput, { kind: 'autoscale' }>): object {
  const { unitsPerSecondMax, incrementPercent } = throughput;
  if (incrementPercent === undefined) return { maxThroughput: unitsPerSecondMax };
  return { maxThroughput: unitsPerSecondMax, autoUpgradePolicy: { throughputPolicy: { incrementPercent } } };
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
