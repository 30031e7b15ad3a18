// What the bench and the processes of the load say to each other, one thing at a time.

import type { Drive } from '../common/drive.ts';
import type { ContestantId } from './contestants.ts';
import type { QuestionId, Rows } from './questions.ts';
import type { ScanId, SubjectPlace } from './subjects/subject.ts';

export interface LoadConfig extends SubjectPlace {
  readonly id: ContestantId;
  readonly documents: number;
}

export type Ask =
  | { readonly kind: 'fill' }
  | { readonly kind: 'answer'; readonly question: ScanId }
  | { readonly kind: 'turn'; readonly question: QuestionId; readonly turnMs: number };

export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'answer'; readonly answer: Rows | number }
  /** Its operations are what the figure of the question counts. */
  | { readonly kind: 'turn'; readonly drive: Drive }
  | { readonly kind: 'failed'; readonly message: string };
