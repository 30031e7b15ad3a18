// The documents that are there before anything is measured, written in bulks.

import type { Subject } from '../subjects/subject.ts';
import { bulkDocuments, bulksInFlight } from '../works.ts';

export async function fill(subject: Subject, documents: number): Promise<void> {
  const waiting: number[][] = Array.from({ length: subject.pieces }, () => []);
  const bulks: { readonly piece: number; readonly documents: number[] }[] = [];
  for (let n = 0; n < documents; n += 1) {
    const piece = subject.pieceOf(n);
    const own = waiting[piece] as number[];
    own.push(n);
    if (own.length < bulkDocuments) continue;
    bulks.push({ piece, documents: own });
    waiting[piece] = [];
  }
  // Too few for a bulk.
  const left = waiting.flat();
  const write = async (): Promise<void> => {
    for (let bulk = bulks.pop(); bulk !== undefined; bulk = bulks.pop()) {
      await subject.bulk(bulk.piece, bulk.documents, 0);
    }
    for (let n = left.pop(); n !== undefined; n = left.pop()) await subject.upsert(n, 0);
  };
  await Promise.all(Array.from({ length: bulksInFlight }, write));
  await subject.settle?.();
}
