// Tidemark as an embedder uses it: a folder on the disk, every acknowledgement flushed.

import { cpSync } from 'node:fs';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import type { Chance } from './chance.ts';
import { documentBytes, documentOf, templateOf } from './documents.ts';

const databaseId = 'bench';
const containerId = 'documents';

export class Subject implements AsyncDisposable {
  readonly folder: string;
  database: Database;
  container: Container;
  /** Documents 0 … count - 1 are in it. */
  count = 0;
  /** What they look like but for id, key and version. */
  readonly like: Buffer;
  #version = 0;

  private constructor(folder: string, database: Database, container: Container, like: Buffer) {
    this.like = like;
    this.folder = folder;
    this.database = database;
    this.container = container;
  }

  /** Jobs run only where a section asks for them: they would run in somebody else's turn. */
  static async open(
    folder: string,
    options: { ranges: number; maintenance?: boolean; documentBytes?: number },
  ): Promise<Subject> {
    const database = await openDatabase({ folder, sync: 'full', maintenance: options.maintenance ?? false });
    await database.createDatabaseIfNotExists(databaseId);
    const definition = { id: containerId, partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
    const container = await database.createContainerIfNotExists(databaseId, definition, { ranges: options.ranges });
    return new Subject(folder, database, container, templateOf(options.documentBytes ?? documentBytes));
  }

  /** Copies the folder as it is when the database is closed, and goes on. */
  copyTo(folder: string): Promise<void> {
    return this.whileClosed(async () => cpSync(this.folder, folder, { recursive: true }));
  }

  /** The folder is somebody else's meanwhile. */
  async whileClosed(use: () => Promise<void>): Promise<void> {
    await this.database.close();
    await use();
    this.database = await openDatabase({ folder: this.folder, sync: 'full', maintenance: false });
    this.container = this.database.container(databaseId, containerId);
    await this.rested();
  }

  /** A second container in the same database. */
  async beside(id: string): Promise<Container> {
    const definition = { id, partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
    return this.database.createContainerIfNotExists(databaseId, definition, { ranges: 1 });
  }

  insert = (): Promise<unknown> => this.container.create(documentOf(this.count++, 0, this.like));

  update(chance: Chance, like: Buffer = this.like): Promise<unknown> {
    return this.container.replace(documentOf(chance(this.count), ++this.#version, like));
  }

  /** Every second one of a new document, so that both of its ways are in the figure. */
  upsert(chance: Chance): Promise<unknown> {
    this.#version += 1;
    const n = (this.#version & 1) === 0 ? this.count++ : chance(this.count);
    return this.container.upsert(documentOf(n, this.#version, this.like));
  }

  settle = (): Promise<void> => this.database.engine.settle();

  /** What is done while nobody writes is not done in the turn of whoever is next. */
  rested(): Promise<void> {
    return this.database.engine.rested();
  }

  load(documents: number, writers: number): Promise<Drive> {
    return drive({ writers, operations: documents, settle: this.settle }, this.insert);
  }

  async compactAll(): Promise<void> {
    await this.settle();
    while (await this.database.engine.compact());
    await this.settle();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
