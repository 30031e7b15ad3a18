// What the bench and the processes of the load say to each other.

import type { ContestantId } from './contestants.ts';
import type { Turn, TurnOptions } from './measure/turn.ts';
import type { SubjectPlace } from './subjects/subject.ts';
import type { WorkId } from './works.ts';

export interface LoadConfig extends SubjectPlace {
  readonly id: ContestantId;
  readonly documents: number;
}

/** One at a time. */
export type Ask =
  | { readonly kind: 'fill' }
  | { readonly kind: 'turn'; readonly work: WorkId; readonly options: TurnOptions };

export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'failed'; readonly message: string };
