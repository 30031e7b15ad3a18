// The process of one who writes: Tidemark on a folder that has its documents, or LMDB, which is loaded here.

import type { Buffer } from 'node:buffer';
import { openDatabase } from '@tidemark/engine';
import { LmdbStore } from '../baseline/lmdb-store.ts';
import { drive } from '../common/drive.ts';
import { chanceOf } from './chance.ts';
import { documentIn, documentOf, partitionKeyOf } from './documents.ts';
import { Subject } from './subject.ts';
import type { Work, WriterAnswer, WriterTurn } from './writer-turn.ts';
import { batchDocuments, batchPartitions, inDocuments } from './writer-turn.ts';

interface Writer {
  readonly count: number;
  operationOf(work: Work): () => Promise<unknown>;
  /** All that was put off is done, counted in whoever's turn it is. */
  settle?(): Promise<void>;
  /** The same, in nobody's turn, and what is made ready for the next one is ready. */
  rested?(): Promise<void>;
  close(): Promise<void>;
}

const [kind, folder, countText] = process.argv.slice(2);
if (folder === undefined || (kind !== 'tidemark' && kind !== 'lmdb'))
  throw new Error('writer-child.ts tidemark|lmdb FOLDER DOCUMENTS');
const documents = Number(countText);
const chance = chanceOf(42);
const warmUpMs = 1_500;
const lmdbLoaders = 5_000;
/** So large commits leave long lists of free pages, on which the first small ones spend milliseconds each: not measured either. */
const lmdbRewrites: number = Math.min(10_000, documents / 10);

const writer = kind === 'tidemark' ? await tidemarkOn(folder) : await lmdbIn(folder);
process.on('message', async (turn: WriterTurn) => process.send?.(await take(turn)));
process.on('disconnect', () => void writer.close());
process.send?.('ready');

async function take({ work, writers, turnMs, rampMs }: WriterTurn): Promise<WriterAnswer> {
  await writer.rested?.();
  const settle = writer.settle === undefined ? {} : { settle: writer.settle };
  const driven = await drive({ writers, turnMs, rampMs, ...settle }, writer.operationOf(work));
  await writer.rested?.();
  return { driven: inDocuments(work, driven), count: writer.count };
}

async function tidemarkOn(path: string): Promise<Writer> {
  // Its ranges are what they are: it has been made before.
  const subject = await Subject.open(path, { ranges: 1 });
  subject.count = documents;
  // As warm as whoever has written all of them would be.
  await drive({ writers: 64, turnMs: warmUpMs }, () => subject.upsert(chance));
  const operations: Readonly<Record<Work, () => Promise<unknown>>> = {
    upserts: () => subject.upsert(chance),
    inserts: subject.insert,
    updates: () => subject.update(chance),
    batches: () => {
      const partition = chance(batchPartitions);
      const puts = batchIn(partition).map((upsert) => ({ upsert }));
      return subject.container.batch(partitionKeyOf(partition), puts);
    },
  };
  return {
    get count() {
      return subject.count;
    },
    operationOf: (work) => operations[work],
    settle: subject.settle,
    rested: () => subject.rested(),
    close: () => subject.close(),
  };
}

async function lmdbIn(path: string): Promise<Writer> {
  const front = await openDatabase({ memory: true });
  await front.createDatabaseIfNotExists('bench');
  const definition = { id: 'front', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
  const store = new LmdbStore(path, await front.createContainerIfNotExists('bench', definition));
  let next = 0;
  await drive({ writers: lmdbLoaders, operations: documents }, () => store.upsert(documentOf(next++, 0)));
  const update = (): Promise<void> => store.upsert(documentOf(chance(documents), 0));
  await drive({ writers: 64, operations: lmdbRewrites }, update);
  let version = 0;
  const upsert = (): Promise<void> => {
    version += 1;
    const n = (version & 1) === 0 ? documents * 2 + version : chance(documents);
    return store.upsert(documentOf(n, version));
  };
  return {
    count: documents,
    operationOf: (work) => (work === 'batches' ? () => store.upsertMany(batchIn(chance(batchPartitions))) : upsert),
    close: async () => {
      await store.close();
      await front.close();
    },
  };
}

function batchIn(partition: number): Buffer[] {
  return Array.from({ length: batchDocuments }, (_, i) => documentIn(partition, i, 1));
}
