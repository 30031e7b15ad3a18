// Operations a second, with a number of them in flight. Work that a database puts off until after its acknowledgement is not in the
// figure of anybody, and done before the next one's turn where there is a way to ask for it.

import type { Drive } from '../../common/drive.ts';
import { drive } from '../../common/drive.ts';
import { idOf } from '../../engine/documents.ts';
import type { Subject } from '../subjects/subject.ts';
import { bulkDocuments } from '../works.ts';
import type { Numbers } from './numbers.ts';
import type { Turn } from './turn.ts';

export async function measureUpserts(
  subject: Subject,
  numbers: Numbers,
  writers: number,
  turnMs: number,
): Promise<Turn> {
  const driven = await drive({ writers, turnMs }, () => subject.upsert(numbers.written(), numbers.version()));
  await subject.settle?.();
  return turnOf(driven, 1);
}

export async function measureBulks(subject: Subject, numbers: Numbers, writers: number, turnMs: number): Promise<Turn> {
  const driven = await drive({ writers, turnMs }, () => {
    const { piece, documents } = numbers.bulk(bulkDocuments);
    return subject.bulk(piece, documents, numbers.version());
  });
  await subject.settle?.();
  return turnOf(driven, bulkDocuments);
}

export async function measurePoints(
  subject: Subject,
  numbers: Numbers,
  readers: number,
  turnMs: number,
): Promise<Turn> {
  const driven = await drive({ writers: readers, turnMs }, async () => {
    const n = numbers.existing();
    const { id } = await subject.read(n);
    if (id !== idOf(n)) throw new Error(`Asked for document ${n} and got ${id}.`);
  });
  return turnOf(driven, 1);
}

function turnOf({ operations, acknowledgedMs, latencyMs }: Drive, documents: number): Turn {
  const figure = (operations * documents * 1_000) / acknowledgedMs;
  return { figure, documents: operations * documents, details: { p50Ms: latencyMs.p50, p99Ms: latencyMs.p99 } };
}
