// Documents in PostgreSQL as jsonb. Nothing is indexed but what a document is found by. Texts were tried in several forms: paths with
// `#>>` are quicker than chains of `->`, and both than `@>`; numbers are read from jsonb as they are, not from its text.

import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { requirePeer } from '../../peers/install/peers-folder.ts';
import { textOf } from '../documents.ts';
import type { Rows } from '../questions.ts';
import { asked } from '../questions.ts';
import type { ScanId, Subject, SubjectPlace } from './subject.ts';

interface Query {
  /** Names a prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface Pool {
  query<Row>(query: Query): Promise<{ readonly rows: Row[] }>;
  end(): Promise<void>;
}

interface PgModule {
  readonly Pool: new (options: object) => Pool;
}

const connections = 16;
const rowsAtOnce = 1_000;

const schema = `create table documents (
  customer text not null, id text not null, body jsonb not null,
  primary key (customer, id)
)`;

const total = `(body -> 'total')::float8`;
const texts: Readonly<Record<ScanId, Query>> = {
  filter: {
    text: `select body -> 'id' as id, body -> 'total' as total from documents
      where body #>> '{customer,address,city}' = $1 and ${total} > $2`,
    values: [asked.city, asked.least],
  },
  count: {
    text: `select count(*)::int as count from documents where body ->> 'status' = $1 and ${total} > $2`,
    values: [asked.status, asked.least],
  },
  group: {
    text: `select body #>> '{customer,address,country}' as country, count(*) as orders, sum(${total}) as total
      from documents group by 1`,
  },
  top: { text: `select body -> 'id' as id, body -> 'total' as total from documents order by ${total} desc limit 10` },
};
const pointText = 'select body from documents where customer = $1 and id = $2';

export async function openPostgres({ port }: SubjectPlace): Promise<Subject> {
  const { Pool: PoolOf } = requirePeer<PgModule>('pg');
  const pool = new PoolOf({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: connections });
  await pool.query({ text: schema });
  return new Postgres(pool);
}

class Postgres implements Subject {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async fill(documents: number): Promise<void> {
    const text = `insert into documents select * from unnest($1::text[], $2::text[], $3::jsonb[])`;
    for (let from = 0; from < documents; from += rowsAtOnce) {
      const some = Array.from({ length: Math.min(rowsAtOnce, documents - from) }, (_, i) => from + i);
      const values = [some.map(partitionKeyOf), some.map(idOf), some.map(textOf)];
      await this.#pool.query({ name: 'fill', text, values });
    }
    // What autovacuum would do at some time; the checkpoint would fall into the turn of another.
    await this.#pool.query({ text: 'vacuum analyze documents' });
    await this.#pool.query({ text: 'checkpoint' });
  }

  async ask(question: ScanId): Promise<Rows | number> {
    const { rows } = await this.#pool.query<Rows[number]>({ name: question, ...texts[question] });
    return question === 'count' ? Number(rows[0]?.['count']) : rows;
  }

  async point(n: number): Promise<unknown> {
    const values = [partitionKeyOf(n), idOf(n)];
    const { rows } = await this.#pool.query<{ body: object }>({ name: 'point', text: pointText, values });
    return rows[0]?.body;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end();
  }
}
