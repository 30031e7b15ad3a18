// What a group has parked, in figures: for somebody who looks at the group, and does not know yet whether there is anything to look at.

import { lettersCountedMax, parkedKeysShownMax } from '../limits.ts';
import type { DocumentStore } from '../store/document-store.ts';
import { DeadLetters } from './dead-letters.ts';

export interface LetterSummary {
  /** Where they are: `shop/dead`. */
  readonly container: string;
  readonly letters: number;
  /** There are more than `letters`; nobody counted them. */
  readonly isAtLeast: boolean;
  /** When the oldest of those that were counted was parked. */
  readonly oldestAt: string | undefined;
  /** Keys whose later changes wait behind a letter. */
  readonly parkedKeys: number;
  /** Some of them, as JSON: `["ada"]`. */
  readonly someKeys: readonly string[];
}

/** `group`: the prefix of the group's leases. */
export async function summarizeLetters(
  store: DocumentStore,
  group: string,
  signal?: AbortSignal,
): Promise<LetterSummary> {
  const documents = new DeadLetters(store, group);
  const keys = await documents.heldKeys(signal);
  let letters = 0;
  let isAtLeast = false;
  let oldestMs = Number.POSITIVE_INFINITY;
  for await (const page of documents.pages(signal)) {
    letters += page.length;
    for (const { parkedAtMs } of page) if (parkedAtMs > 0) oldestMs = Math.min(oldestMs, parkedAtMs);
    isAtLeast = letters >= lettersCountedMax;
    if (isAtLeast) break;
  }
  return {
    container: store.name,
    letters,
    isAtLeast,
    oldestAt: Number.isFinite(oldestMs) ? new Date(oldestMs).toISOString() : undefined,
    parkedKeys: keys.length,
    someKeys: keys.sort().slice(0, parkedKeysShownMax),
  };
}
