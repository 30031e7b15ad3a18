// What takes long beside other work, such as a backup, can be stopped and says how far it has come.

import { DatabaseError } from '@tidemark/model';

export interface LongWorkOptions {
  readonly signal?: AbortSignal;
  /** In bytes. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export function checkNotStopped(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted === true) throw new DatabaseError('unavailable', `The ${what} was stopped before its end.`);
}
