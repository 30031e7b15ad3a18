// PouchDB on LevelDB, in the process of its user. An update needs the revision that it replaces; the load remembers them, which
// spares PouchDB the read before every write that most users have to do.

import { join } from 'node:path';
import { idOf } from '../../engine/documents.ts';
import { requirePeer } from '../install/peers-folder.ts';
import { feedPageDocuments, groupBatchDocuments } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { objectOf } from './subject.ts';

interface Changes {
  readonly results: readonly { readonly doc: ReadDocument }[];
  readonly last_seq: number;
}

interface LiveChanges {
  on(event: 'change', listener: (change: { readonly doc: ReadDocument }) => void): LiveChanges;
  cancel(): void;
}

interface Pouch {
  put(document: object): Promise<{ readonly rev: string }>;
  bulkDocs(documents: readonly object[]): Promise<readonly { readonly rev?: string; readonly error?: unknown }[]>;
  get(id: string): Promise<ReadDocument>;
  changes(options: { readonly live: true; readonly since: string; readonly include_docs: boolean }): LiveChanges;
  changes(options: {
    readonly since: number;
    readonly limit: number;
    readonly include_docs: boolean;
  }): Promise<Changes>;
  close(): Promise<void>;
}

export class PouchOnLevel implements Subject {
  readonly pieces = 1;
  readonly #database: Pouch;
  readonly #revisions = new Map<number, string>();
  #groups = 0;

  private constructor(database: Pouch) {
    this.#database = database;
  }

  static async open({ folder }: SubjectPlace): Promise<PouchOnLevel> {
    const PouchDb = requirePeer<new (name: string, options: object) => Pouch>('pouchdb');
    // Old revisions are not wanted: without this the folder and every update would grow.
    return new PouchOnLevel(new PouchDb(join(folder, 'documents'), { adapter: 'leveldb', auto_compaction: true }));
  }

  pieceOf(): number {
    return 0;
  }

  async upsert(n: number, version: number): Promise<void> {
    const { rev } = await this.#database.put(this.#documentOf(n, version));
    this.#revisions.set(n, rev);
  }

  async bulk(_piece: number, documents: readonly number[], version: number): Promise<void> {
    const results = await this.#database.bulkDocs(documents.map((n) => this.#documentOf(n, version)));
    for (const [i, { rev, error }] of results.entries()) {
      if (rev === undefined || error !== undefined) throw new Error(`A bulk was answered: ${JSON.stringify(error)}`);
      this.#revisions.set(documents[i] as number, rev);
    }
  }

  #documentOf(n: number, version: number): object {
    const rev = this.#revisions.get(n);
    return { _id: idOf(n), ...(rev === undefined ? {} : { _rev: rev }), ...objectOf(n, version) };
  }

  read(n: number): Promise<ReadDocument> {
    return this.#database.get(idOf(n));
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    await this.#readFrom(0, feedPageDocuments, async (documents) => onDocuments(documents));
  }

  async #readFrom(
    start: number,
    limit: number,
    onPage: (documents: readonly ReadDocument[], since: number) => Promise<void>,
  ): Promise<void> {
    let since = start;
    for (;;) {
      const { results, last_seq } = await this.#database.changes({ since, limit, include_docs: true });
      if (results.length === 0) return;
      since = last_seq;
      await onPage(
        results.map(({ doc }) => doc),
        since,
      );
    }
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const live = this.#database.changes({ live: true, since: 'now', include_docs: true });
    live.on('change', ({ doc }) => onDocuments([doc]));
    return {
      write: (n, version) => this.upsert(n, version),
      close: async () => live.cancel(),
    };
  }

  /** There are no groups: one consumer, with its place in a document that the feed does not show. */
  async group(onDocuments: OnDocuments): Promise<Group> {
    this.#groups += 1;
    const _id = `_local/group-${this.#groups}`;
    let rev: string | undefined;
    const loop = this.#readFrom(0, groupBatchDocuments, async (documents, since) => {
      onDocuments(documents);
      rev = (await this.#database.put({ _id, ...(rev === undefined ? {} : { _rev: rev }), since })).rev;
    });
    return { close: () => loop };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database.close();
  }
}
