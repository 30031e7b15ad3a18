// Offers: what throughput is provisioned for a container, or for a database whose containers share it (wire 6).

import type { ContainerInfo, Database, NamedInfo } from '@tidemark/engine';
import type { Offer, Throughput } from '@tidemark/model';
import { autoscaleThroughput, DatabaseError, header, manualThroughput } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';

/** What a request to create something says about its throughput; undefined when it leaves it to the server. */
export function requestedThroughput(request: RequestHead): Throughput | undefined {
  const type = textOfHeader(request, header.offerType);
  if (type !== undefined && type.toLowerCase() !== 'invalid') {
    const message = `Performance levels ('${type}') are not supported; give ${header.throughput} instead.`;
    throw new DatabaseError('not-supported', message);
  }
  const manual = textOfHeader(request, header.throughput);
  const autoscale = textOfHeader(request, header.autoscale);
  if (manual !== undefined && autoscale !== undefined) {
    const message = `Give ${header.throughput} or ${header.autoscale}, not both.`;
    throw new DatabaseError('bad-request', message);
  }
  if (manual !== undefined) return manualThroughput(/^\d+$/.test(manual) ? Number(manual) : manual);
  return autoscale === undefined ? undefined : autoscaleThroughput(parsed(autoscale));
}

/** The offer of a database or container. */
export function findOffer(database: Database, owner: number): NamedInfo | undefined {
  return database.resources.list('offer', owner)[0];
}

/** Only this server writes values of offers. */
export function offerOf(info: NamedInfo): Offer {
  return info.value as Offer;
}

/** What a container may use: its own, or what it shares with the others of its database. */
export interface Provision {
  /** Whose offer it is: the number of the container, or of the database. */
  readonly owner: number;
  readonly throughput: Throughput;
}

/** Undefined for a container that was made without any, by a program that has the database in itself. */
export function provisionOf(database: Database, info: ContainerInfo): Provision | undefined {
  const own = findOffer(database, info.number);
  if (own !== undefined) return { owner: info.number, throughput: offerOf(own).throughput };
  const shared = findOffer(database, info.database);
  return shared === undefined ? undefined : { owner: info.database, throughput: offerOf(shared).throughput };
}

function parsed(settings: string): unknown {
  try {
    return JSON.parse(settings);
  } catch (error) {
    const message = `The header ${header.autoscale} must be JSON: {"maxThroughput":4000}.`;
    throw new DatabaseError('bad-request', message, { cause: error });
  }
}
