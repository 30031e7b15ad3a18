// The container that the load over HTTP works on, with its ranges, and the group of processors on it.

import { effectiveKey, effectiveKeyHex } from '@tidemark/model';
import type { SourceInput, StoreInput } from '@tidemark/processor';
import { createProcessor } from '@tidemark/processor';
import { partitionKeyOf, partitionKeys } from '../../engine/documents.ts';
import { clientAt, definitionOf } from '../../processor/setting.ts';
import { containerId, databaseId } from '../../server/requests.ts';
import { consumers, groupBatchDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument } from './subject.ts';

export const leasesId = 'leases';

/** The ids of its ranges. */
export async function createPeerContainer(port: number): Promise<TidemarkRanges> {
  const client = clientAt(port);
  await client.createDatabase(databaseId);
  const container = await client.createContainer(databaseId, definitionOf(containerId, '/pk'));
  await client.createContainer(databaseId, definitionOf(leasesId, '/id'));
  let found = await container.ranges();
  while (found.length < ranges) {
    for (const { id } of found) {
      await client.admin('POST', ['dbs', databaseId, 'colls', containerId, 'split'], { range: id });
    }
    found = await container.ranges();
  }
  return new TidemarkRanges(found);
}

/** Which range a document lies in: clients that send bulks know it too. */
export class TidemarkRanges {
  readonly ids: readonly string[];
  readonly #pieces: Uint8Array;

  constructor(found: readonly { readonly id: string; readonly min: string; readonly max: string }[]) {
    this.ids = found.map(({ id }) => id);
    const definition = { paths: ['/pk'], kind: 'Hash', version: 2 } as const;
    this.#pieces = Uint8Array.from({ length: partitionKeys }, (_, n) => {
      const key = effectiveKeyHex(effectiveKey(definition, [partitionKeyOf(n)]));
      return found.findIndex(({ min, max }) => min <= key && key < max);
    });
  }

  pieceOf(n: number): number {
    return this.#pieces[n % partitionKeys] as number;
  }
}

let groups = 0;

/** Processors as their users make them; each has its own lease in the container of leases. */
export async function startGroup(
  connect: () => { readonly source: SourceInput; readonly leases: StoreInput },
  onDocuments: OnDocuments,
): Promise<Group> {
  groups += 1;
  const processors = Array.from({ length: consumers }, (_, i) =>
    createProcessor<Record<string, unknown>>({
      ...connect(),
      name: `group-${groups}`,
      instance: `consumer-${i}`,
      start: 'beginning',
      itemsMax: groupBatchDocuments,
      handler: async (documents) => onDocuments(documents as readonly unknown[] as readonly ReadDocument[]),
    }),
  );
  await Promise.all(processors.map((processor) => processor.start()));
  return {
    close: async () => {
      await Promise.all(processors.map((processor) => processor.stop()));
    },
  };
}
