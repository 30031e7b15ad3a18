// Tidemark in the process of its user.

import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { StoredDocument as StoredJson } from '@tidemark/model';
import { documentOf, idOf, partitionKeyOf } from '../../engine/documents.ts';
import { definitionOf } from '../../processor/setting.ts';
import { containerId, databaseId } from '../../server/requests.ts';
import { feedPageDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { leasesId, startGroup, TidemarkRanges } from './tidemark-container.ts';

type StoredDocument = ReadDocument & StoredJson;

export class TidemarkEmbedded implements Subject {
  readonly pieces: number = ranges;
  readonly #database: Database;
  readonly #container: Container;
  readonly #leases: Container;
  readonly #ranges: TidemarkRanges;

  private constructor(database: Database, container: Container, leases: Container) {
    this.#database = database;
    this.#container = container;
    this.#leases = leases;
    this.#ranges = new TidemarkRanges(container.ranges);
  }

  static async open({ folder }: SubjectPlace, sync: 'full' | 'os'): Promise<TidemarkEmbedded> {
    const database = await openDatabase({ folder, sync });
    await database.createDatabase(databaseId);
    const container = await database.createContainer(databaseId, definitionOf(containerId, '/pk'), { ranges });
    const leases = await database.createContainer(databaseId, definitionOf(leasesId, '/id'));
    return new TidemarkEmbedded(database, container, leases);
  }

  pieceOf(n: number): number {
    return this.#ranges.pieceOf(n);
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#container.upsert(documentOf(n, version));
  }

  /** Writes that are begun together are flushed together; there is no other bulk. */
  bulk(_piece: number, documents: readonly number[], version: number): Promise<unknown> {
    return Promise.all(documents.map((n) => this.upsert(n, version)));
  }

  async read(n: number): Promise<ReadDocument> {
    const document = await this.#container.read<ReadDocument>(idOf(n), partitionKeyOf(n));
    if (document === undefined) throw new Error(`Document ${n} is missing.`);
    return document.value;
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    const feed = this.#container.changes({ from: 'beginning', itemsMax: feedPageDocuments });
    for (;;) {
      const page = await feed.page();
      if (page.count > 0) onDocuments(JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`));
      page.release?.();
      if (page.isDrained && page.count === 0) return;
    }
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const over = new AbortController();
    const feed = this.#container.changes<StoredDocument>({ from: 'now', signal: over.signal });
    const { etag } = feed;
    const follow = async (): Promise<void> => {
      for await (const document of this.#container.changes<StoredDocument>({ from: { etag }, signal: over.signal })) {
        onDocuments([document]);
      }
    };
    const loop = follow();
    return {
      write: (n, version) => this.upsert(n, version),
      close: () => {
        over.abort();
        return loop;
      },
    };
  }

  group(onDocuments: OnDocuments): Promise<Group> {
    return startGroup(() => ({ source: this.#container, leases: this.#leases }), onDocuments);
  }

  settle(): Promise<void> {
    return this.#database.engine.settle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database.close();
  }
}
