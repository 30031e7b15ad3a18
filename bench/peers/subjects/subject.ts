// What a contestant can do, as the load sees it. Every document that is read arrives as a parsed object: bytes that nobody has
// looked at would not be a fair figure beside a client that parses.

import { documentOf } from '../../engine/documents.ts';

export interface ReadDocument {
  readonly id: string;
  readonly version: number;
}

export type OnDocuments = (documents: readonly ReadDocument[]) => void;

export interface Subject extends AsyncDisposable {
  /** How many pieces the documents are divided into. A bulk holds documents of one of them. */
  readonly pieces: number;
  pieceOf(n: number): number;
  /** Resolves when it is as durable as this contestant makes it. */
  upsert(n: number, version: number): Promise<unknown>;
  bulk(piece: number, documents: readonly number[], version: number): Promise<unknown>;
  read(n: number): Promise<ReadDocument>;
  /** The whole feed from its beginning, once. */
  catchUp?(onDocuments: OnDocuments): Promise<void>;
  /** A consumer that waits at the end of the feed. */
  tail?(onDocuments: OnDocuments): Promise<Tail>;
  /** A new group of consumers, from the beginning of the feed; every batch is followed by a durable checkpoint. */
  group?(onDocuments: OnDocuments): Promise<Group>;
  /** Ends what was put off, so that it does not fall into the turn of another. */
  settle?(): Promise<void>;
}

export interface Tail {
  write(n: number, version: number): Promise<unknown>;
  close(): Promise<void>;
}

export interface Group {
  /** After everything has been handled; resolves when the last checkpoint is stored. */
  close(): Promise<void>;
}

/** What a subject is made from, in the process of the load. */
export interface SubjectPlace {
  readonly port: number;
  readonly folder: string;
}

export function textOf(n: number, version: number): string {
  return documentOf(n, version).toString('latin1');
}

export function objectOf(n: number, version: number): ReadDocument & { readonly pk: string } {
  return JSON.parse(textOf(n, version));
}
