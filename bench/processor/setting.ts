// What every section works with: a server as its users start it, and a container of one range and one of many, both full.

import { RestClient } from '@tidemark/client';
import { openDatabase } from '@tidemark/engine';
import { wellKnownKey } from '@tidemark/server';
import { drive } from '../common/drive.ts';
import type { BenchOptions } from '../common/options.ts';
import { showProgress } from '../common/progress.ts';
import type { Report } from '../common/report.ts';
import { documentOf } from '../engine/documents.ts';
import type { ServerProcess } from '../server/process.ts';
import { containerId, databaseId } from '../server/requests.ts';

export const one: Place = { id: containerId, ranges: 1 };
export const many: Place = { id: 'many', ranges: 8 };
export const leasesId = 'leases';

export interface Place {
  readonly id: string;
  readonly ranges: number;
}

export interface ProcessorSetting {
  readonly options: BenchOptions;
  readonly report: Report;
  readonly server: ServerProcess;
  readonly client: RestClient;
}

export function endpointOf(server: ServerProcess): string {
  return `http://127.0.0.1:${server.port}`;
}

export function clientOf({ port }: ServerProcess): RestClient {
  return clientAt(port);
}

export function clientAt(port: number): RestClient {
  return new RestClient({ endpoint: `http://127.0.0.1:${port}`, credential: { key: wellKnownKey } });
}

let groups = 0;

/** Every run of a processor has leases of its own. */
export function nextGroup(): string {
  groups += 1;
  return `group-${groups}-`;
}

/** Through the engine: only reading over HTTP is measured. */
export async function fill(folder: string, documents: number): Promise<void> {
  await using database = await openDatabase({ folder, maintenance: false });
  await database.createDatabase(databaseId);
  for (const { id } of [one, many]) {
    const container = await database.createContainer(databaseId, definitionOf(id, '/pk'));
    let n = 0;
    const insert = (): Promise<unknown> => {
      if (n % 50_000 === 0) showProgress(`loading ${n} of ${documents} documents into ${id}`);
      return container.create(documentOf(n++, 0));
    };
    await drive({ writers: 1_000, operations: documents }, insert);
  }
  await database.createContainer(databaseId, definitionOf(leasesId, '/id'));
  await database.engine.settle();
}

export async function split(client: RestClient): Promise<void> {
  const container = client.container(databaseId, many.id);
  for (let ranges = await container.ranges(); ranges.length < many.ranges; ranges = await container.ranges()) {
    for (const { id } of ranges) {
      await client.admin('POST', ['dbs', databaseId, 'colls', many.id, 'split'], { range: id });
    }
  }
}

export function definitionOf(id: string, path: string): { id: string; partitionKey: object } {
  return { id, partitionKey: { paths: [path], kind: 'Hash', version: 2 } };
}
