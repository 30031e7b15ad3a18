// Tidemark in the process of its user.

import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { drive } from '../../common/drive.ts';
import { showProgress } from '../../common/progress.ts';
import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { containerId, databaseId } from '../../server/requests.ts';
import { textOf } from '../documents.ts';
import type { Rows } from '../questions.ts';
import { asked, cosmosTexts } from '../questions.ts';
import type { ScanId, Subject, SubjectPlace } from './subject.ts';

const writers = 1_000;

/** A folder of its own, which whoever comes next opens. */
export async function fillFolder(folder: string, documents: number, ranges: number): Promise<void> {
  await using database = await openDatabase({ folder, maintenance: false });
  await database.createDatabase(databaseId);
  const definition = { id: containerId, partitionKey: { paths: ['/customerId'], kind: 'Hash', version: 2 } };
  const container = await database.createContainer(databaseId, definition, { ranges });
  let n = 0;
  const insert = (): Promise<unknown> => {
    if (n % 50_000 === 0)
      showProgress(`loading ${n} of ${documents} documents into ${ranges} range${ranges > 1 ? 's' : ''}`);
    return container.create(Buffer.from(textOf(n++), 'latin1'));
  };
  await drive({ writers, operations: documents }, insert);
  await database.engine.settle();
}

export async function openEmbedded({ folder }: SubjectPlace): Promise<Subject> {
  const database = await openDatabase({ folder, maintenance: false });
  return new Embedded(database, database.container(databaseId, containerId));
}

class Embedded implements Subject {
  readonly #database: Database;
  readonly #container: Container;

  constructor(database: Database, container: Container) {
    this.#database = database;
    this.#container = container;
  }

  async ask(question: ScanId): Promise<Rows | number> {
    const rows = await this.#container.query<Rows[number] | number>(cosmosTexts[question], asked).toArray();
    return question === 'count' ? (rows[0] as number) : (rows as Rows); // The question says what is selected.
  }

  async point(n: number): Promise<unknown> {
    const parameters = { customer: partitionKeyOf(n), id: idOf(n) };
    const [document] = await this.#container.query(cosmosTexts.point, parameters).toArray();
    return document;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database.close();
  }
}
