// The whole feed, once: read by one reader, or by a group with checkpoints. A figure counts only if every document came.

import type { OnDocuments, Subject } from '../subjects/subject.ts';
import type { Turn } from './turn.ts';

/** Again and again until the time of a turn is over; once at least. */
export async function measureCatchUp(subject: Subject, documents: number, turnMs: number): Promise<Turn> {
  if (subject.catchUp === undefined) throw new Error('It has no feed.');
  const startedMs = performance.now();
  let elapsedMs = 0;
  let read = 0;
  let twice = 0;
  while (elapsedMs < turnMs) {
    const seen = new Seen(documents, 0);
    await subject.catchUp(seen.take);
    seen.check();
    elapsedMs = performance.now() - startedMs;
    read += documents;
    twice += seen.twice;
  }
  return { figure: (read / elapsedMs) * 1_000, documents: read, details: { twice } };
}

/** How long a group takes to start is another question: the time begins when a quarter has come. */
export async function measureGroup(subject: Subject, documents: number): Promise<Turn> {
  if (subject.group === undefined) throw new Error('It has no groups.');
  const seen = new Seen(documents, documents / 4);
  const group = await subject.group(seen.take);
  await seen.all;
  const elapsedMs = performance.now() - seen.beganMs;
  await group.close();
  seen.check();
  const figure = ((documents - seen.begunAt) / elapsedMs) * 1_000;
  return { figure, documents, details: { twice: seen.twice } };
}

class Seen {
  readonly documents: number;
  readonly all: Promise<void>;
  count = 0;
  twice = 0;
  /** When so many had come that the time began, and how many it were. */
  beganMs = 0;
  begunAt = 0;
  readonly #beginsAt: number;
  readonly #marks: Uint8Array;
  #finish!: () => void;

  constructor(documents: number, beginsAt: number) {
    this.documents = documents;
    this.#beginsAt = beginsAt;
    this.#marks = new Uint8Array(documents);
    this.all = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  check(): void {
    if (this.count !== this.documents) throw new Error(`${this.count} of ${this.documents} documents came.`);
  }

  take: OnDocuments = (documents) => {
    for (const { id } of documents) {
      const n = Number(id);
      if (this.#marks[n] === 0) {
        this.#marks[n] = 1;
        this.count += 1;
      } else this.twice += 1;
    }
    if (this.beganMs === 0 && this.count >= this.#beginsAt) {
      this.beganMs = performance.now();
      this.begunAt = this.count;
    }
    if (this.count === this.documents) this.#finish();
  };
}
