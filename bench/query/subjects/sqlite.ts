// Documents in SQLite, in the process. Its binary form of JSON is two to three times as quick as its text, so documents are stored in it;
// a document that is wanted whole is turned into text. Nothing is indexed but what a document is found by. The file is mapped into memory,
// which spares it copies of its pages, and is in the page cache.

import { join } from 'node:path';
import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { requirePeer } from '../../peers/install/peers-folder.ts';
import { textOf } from '../documents.ts';
import type { Rows } from '../questions.ts';
import { asked } from '../questions.ts';
import type { ScanId, Subject, SubjectPlace } from './subject.ts';

interface Statement {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
}

interface SqliteDatabase {
  exec(text: string): void;
  prepare(text: string): Statement;
  close(): void;
}

type SqliteModule = new (path: string) => SqliteDatabase;

const schema = `
  pragma journal_mode = wal;
  pragma cache_size = -524288;
  pragma mmap_size = 17179869184;
  create table if not exists documents (customer text, id text, body blob, primary key (customer, id));
`;

const total = `body ->> '$.total'`;
const texts: Readonly<Record<ScanId, { readonly text: string; readonly values: readonly unknown[] }>> = {
  filter: {
    text: `select body ->> '$.id' as id, ${total} as total from documents
      where body ->> '$.customer.address.city' = ? and ${total} > ?`,
    values: [asked.city, asked.least],
  },
  count: {
    text: `select count(*) as count from documents where body ->> '$.status' = ? and ${total} > ?`,
    values: [asked.status, asked.least],
  },
  group: {
    text: `select body ->> '$.customer.address.country' as country, count(*) as orders, sum(${total}) as total
      from documents group by 1`,
    values: [],
  },
  top: {
    text: `select body ->> '$.id' as id, ${total} as total from documents order by ${total} desc limit 10`,
    values: [],
  },
};

export async function openSqlite({ folder }: SubjectPlace): Promise<Subject> {
  const DatabaseOf = requirePeer<SqliteModule>('libsql');
  const database = new DatabaseOf(join(folder, 'documents.db'));
  database.exec(schema);
  return new Sqlite(database);
}

export function sqliteVersion(): string {
  const DatabaseOf = requirePeer<SqliteModule>('libsql');
  const database = new DatabaseOf(':memory:');
  const { version } = database.prepare('select sqlite_version() as version').get() as { version: string };
  database.close();
  return version;
}

class Sqlite implements Subject {
  readonly #database: SqliteDatabase;
  readonly #statements: Readonly<Record<ScanId, Statement>>;
  readonly #point: Statement;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    const prepared = (id: ScanId): Statement => database.prepare(texts[id].text);
    const [filter, count, group, top] = [prepared('filter'), prepared('count'), prepared('group'), prepared('top')];
    this.#statements = { filter, count, group, top };
    this.#point = database.prepare('select json(body) as text from documents where customer = ? and id = ?');
  }

  async fill(documents: number): Promise<void> {
    const insert = this.#database.prepare('insert into documents values (?, ?, jsonb(?))');
    this.#database.exec('begin');
    for (let n = 0; n < documents; n += 1) insert.run(partitionKeyOf(n), idOf(n), textOf(n));
    this.#database.exec('commit');
    this.#database.exec('pragma wal_checkpoint(truncate)');
    this.#database.exec('analyze');
  }

  async ask(question: ScanId): Promise<Rows | number> {
    const rows = this.#statements[question].all(...texts[question].values) as Rows; // As the texts select.
    return question === 'count' ? Number(rows[0]?.['count']) : rows;
  }

  async point(n: number): Promise<unknown> {
    const row = this.#point.get(partitionKeyOf(n), idOf(n)) as { readonly text: string } | undefined;
    return row && JSON.parse(row.text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }
}
