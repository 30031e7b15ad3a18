// Who is asked, as the load sees it. Rows arrive as objects.

import type { QuestionId, Rows } from '../questions.ts';

export type ScanId = Exclude<QuestionId, 'point'>;

export interface Subject extends AsyncDisposable {
  /** Where it does not have the documents already. */
  fill?(documents: number): Promise<void>;
  /** COUNT gives a number. */
  ask(question: ScanId): Promise<Rows | number>;
  /** Document `n`, found by its partition key and id. */
  point(n: number): Promise<unknown>;
}

export interface SubjectPlace {
  readonly folder: string;
  readonly port: number;
}
