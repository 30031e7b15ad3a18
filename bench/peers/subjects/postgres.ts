// A change feed on PostgreSQL as one builds it by hand: a table of documents as jsonb, a counter for each range that a write
// takes a number from under its row's lock, so that numbers become visible in order and a reader can never skip one, and an
// index by that number. The number is taken in the same statement as the document is written: one round trip, one commit.

import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { requirePeer } from '../install/peers-folder.ts';
import { bulkDocuments, consumers, feedPageDocuments, groupBatchDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { textOf } from './subject.ts';

interface Query {
  /** Names a prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface Connection {
  query<Row>(query: Query): Promise<{ readonly rows: Row[] }>;
  on(event: 'notification', listener: (message: { readonly payload: string }) => void): void;
  release(): void;
}

interface Pool {
  query<Row>(query: Query): Promise<{ readonly rows: Row[] }>;
  connect(): Promise<Connection>;
  end(): Promise<void>;
}

interface PgModule {
  readonly Pool: new (options: object) => Pool;
}

interface FeedRow {
  readonly lsn: string;
  readonly body: ReadDocument;
}

/** Four for each range: one holds its lock, the next ones are ready. With half of them it was slower. */
const connections = 32;

const schema = `
  create table ranges (id int primary key, lsn bigint not null) with (fillfactor = 10);
  insert into ranges select i, 0 from generate_series(0, ${ranges - 1}) i;
  create table documents (
    pk text not null, id text not null, range int not null, lsn bigint not null, body jsonb not null,
    primary key (pk, id)
  );
  create unique index feed on documents (range, lsn);
  create table checkpoints (
    name text not null, range int not null, lsn bigint not null,
    primary key (name, range)
  ) with (fillfactor = 50);
`;

const onConflict = `on conflict (pk, id) do update set lsn = excluded.lsn, body = excluded.body`;

const upsertText = `
  with next as (update ranges set lsn = lsn + 1 where id = $1 returning lsn)
  insert into documents (range, pk, id, lsn, body) select $1, $2, $3, next.lsn, $4 from next ${onConflict}`;

const notifyingText = `
  with next as (update ranges set lsn = lsn + 1 where id = $1 returning lsn),
  written as (
    insert into documents (range, pk, id, lsn, body) select $1, $2, $3, next.lsn, $4 from next ${onConflict})
  select pg_notify('feed', $1::text)`;

const bulkText = `
  with next as (update ranges set lsn = lsn + ${bulkDocuments} where id = $1 returning lsn - ${bulkDocuments} as lsn)
  insert into documents (range, pk, id, lsn, body)
  select $1, e.body ->> 'pk', e.body ->> 'id', next.lsn + e.at, e.body
  from next, jsonb_array_elements($2::jsonb) with ordinality as e (body, at) ${onConflict}`;

const feedText = 'select lsn, body from documents where range = $1 and lsn > $2 order by lsn limit $3';

export class Postgres implements Subject {
  readonly pieces: number = ranges;
  readonly #pool: Pool;
  #groups = 0;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  static async open({ port }: SubjectPlace): Promise<Postgres> {
    const { Pool: PoolOf } = requirePeer<PgModule>('pg');
    const pool = new PoolOf({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: connections });
    await pool.query({ text: schema });
    return new Postgres(pool);
  }

  pieceOf(n: number): number {
    return n % ranges;
  }

  upsert(n: number, version: number): Promise<unknown> {
    const values = [this.pieceOf(n), partitionKeyOf(n), idOf(n), textOf(n, version)];
    return this.#pool.query({ name: 'upsert', text: upsertText, values });
  }

  /** One value with all documents: shorter on the wire and quicker to read than arrays of texts. */
  bulk(piece: number, documents: readonly number[], version: number): Promise<unknown> {
    const all = `[${documents.map((n) => textOf(n, version)).join(',')}]`;
    return this.#pool.query({ name: 'bulk', text: bulkText, values: [piece, all] });
  }

  async read(n: number): Promise<ReadDocument> {
    const text = 'select body from documents where pk = $1 and id = $2';
    const values = [partitionKeyOf(n), idOf(n)];
    const { rows } = await this.#pool.query<{ body: ReadDocument }>({ name: 'read', text, values });
    return (rows[0] as { body: ReadDocument }).body;
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    const readRange = async (_: unknown, range: number): Promise<void> => {
      let lsn = '0';
      for (;;) {
        const rows = await this.#page(range, lsn, feedPageDocuments);
        lsn = deliver(rows, onDocuments) ?? lsn;
        if (rows.length < feedPageDocuments) return;
      }
    };
    await Promise.all(Array.from({ length: ranges }, readRange));
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const positions = new Map<number, string>();
    const { rows } = await this.#pool.query<{ id: number; lsn: string }>({ text: 'select id, lsn from ranges' });
    for (const { id, lsn } of rows) positions.set(id, lsn);
    const listener = await this.#pool.connect();
    listener.on('notification', ({ payload }) => {
      const range = Number(payload);
      void this.#page(range, positions.get(range) as string, feedPageDocuments).then((found) => {
        const lsn = deliver(found, onDocuments);
        if (lsn !== undefined) positions.set(range, lsn);
      });
    });
    await listener.query({ text: 'listen feed' });
    return {
      write: (n, version) => {
        const values = [this.pieceOf(n), partitionKeyOf(n), idOf(n), textOf(n, version)];
        return this.#pool.query({ name: 'notifying', text: notifyingText, values });
      },
      close: async () => {
        await listener.query({ text: 'unlisten feed' });
        listener.release();
      },
    };
  }

  async group(onDocuments: OnDocuments): Promise<Group> {
    this.#groups += 1;
    const name = `group-${this.#groups}`;
    const begin = 'insert into checkpoints select $1, id, 0 from ranges';
    await this.#pool.query({ text: begin, values: [name] });
    const checkpoint = 'update checkpoints set lsn = $3 where name = $1 and range = $2';
    // A consumer has its own ranges, as one that had locked them would.
    const consume = async (_: unknown, consumer: number): Promise<void> => {
      for (let range = consumer; range < ranges; range += consumers) {
        let lsn = '0';
        for (;;) {
          const rows = await this.#page(range, lsn, groupBatchDocuments);
          const last = deliver(rows, onDocuments);
          if (last === undefined) break;
          lsn = last;
          await this.#pool.query({ name: 'checkpoint', text: checkpoint, values: [name, range, lsn] });
        }
      }
    };
    const loops = Promise.all(Array.from({ length: consumers }, consume));
    return { close: async () => void (await loops) };
  }

  async #page(range: number, lsn: string, limit: number): Promise<FeedRow[]> {
    return (await this.#pool.query<FeedRow>({ name: 'feed', text: feedText, values: [range, lsn, limit] })).rows;
  }

  /** What autovacuum would do at some time, which would fall into the turn of another. */
  async settle(): Promise<void> {
    await this.#pool.query({ text: 'vacuum analyze ranges' });
    await this.#pool.query({ text: 'vacuum analyze documents' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end();
  }
}

/** The number of the last one. */
function deliver(rows: readonly FeedRow[], onDocuments: OnDocuments): string | undefined {
  if (rows.length > 0) onDocuments(rows.map(({ body }) => body));
  return rows.at(-1)?.lsn;
}
