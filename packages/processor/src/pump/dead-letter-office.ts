// Dead letters as people and the command line see them: look, and ask for another try. The owner of the range does the trying.

import type { DocumentStore } from '../store/document-store.ts';
import type { DeadLetter, LetterReason, StoredLetter } from './dead-letters.ts';
import { DeadLetters } from './dead-letters.ts';

export interface LetterFilter {
  readonly id?: string | undefined;
  /** Id of the document that changed. */
  readonly itemId?: string | undefined;
  /** The partition key as JSON: `["a"]`. */
  readonly laneKey?: string | undefined;
  readonly leaseToken?: string | undefined;
  readonly reason?: LetterReason | undefined;
  /** A part of the error's text. */
  readonly error?: string | undefined;
}

export interface ListLettersOptions {
  readonly filter?: LetterFilter | ((letter: DeadLetter) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReplayLettersOptions extends ListLettersOptions {
  /** Milliseconds since 1970: letters parked after that moment stay. */
  readonly stopAt?: number | undefined;
}

export interface DeadLetterOffice {
  /** A page at a time, so that their number does not matter. In no order that means anything. */
  each(options?: ListLettersOptions): AsyncIterable<DeadLetter>;
  /** All of them, in the order of their LSNs. */
  list(options?: ListLettersOptions): Promise<DeadLetter[]>;
  /**
   * Asks for another try of those letters; the owners of their ranges do it within seconds, through the handler, in the order of LSNs. Of a
   * key that is held all letters are tried, since their order is what holding is for; when none is left the key flows again. Returns how
   * many letters are to be tried.
   */
  replay(options?: ReplayLettersOptions): Promise<number>;
}

/** `group`: the prefix of the group's leases. */
export function openDeadLetters(store: DocumentStore, group: string): DeadLetterOffice {
  const documents = new DeadLetters(store, group);
  return {
    each: async function* (options = {}) {
      for await (const letter of chosen(documents, options)) yield withoutStored(letter);
    },
    list: async (options = {}) => {
      const letters: DeadLetter[] = [];
      for await (const letter of chosen(documents, options)) letters.push(withoutStored(letter));
      return letters.sort(byLsn);
    },
    replay: async (options = {}) => {
      const { stopAt, signal } = options;
      const held = new Set(await documents.heldKeys(signal));
      const asked = new Set<string>();
      let count = 0;
      for await (const letter of chosen(documents, options)) {
        if (stopAt !== undefined && letter.parkedAtMs > stopAt) continue;
        count += 1;
        const isWholeKey = held.has(letter.laneKey);
        const target = isWholeKey ? letter.laneKey : letter.id;
        if (asked.has(target)) continue;
        asked.add(target);
        await documents.ask(letter, isWholeKey, stopAt, signal);
      }
      return count;
    },
  };
}

async function* chosen(
  documents: DeadLetters,
  { filter, signal }: ListLettersOptions,
): AsyncGenerator<StoredLetter, void, undefined> {
  const requests = await documents.requests(signal);
  const ids = new Set(requests.map(({ letterId }) => letterId));
  const keys = new Set(requests.filter(({ letterId }) => letterId === undefined).map(({ laneKey }) => laneKey));
  const matches = typeof filter === 'function' ? filter : (letter: DeadLetter) => matchesFilter(letter, filter ?? {});
  for await (const page of documents.pages(signal)) {
    for (const letter of page) {
      const isAsked = ids.has(letter.id) || keys.has(letter.laneKey);
      const now = isAsked ? { ...letter, state: 'replay' as const } : letter;
      if (matches(now)) yield now;
    }
  }
}

function byLsn(a: DeadLetter, b: DeadLetter): number {
  return (a.lsn ?? 0) - (b.lsn ?? 0) || (a.id < b.id ? -1 : 1);
}

function matchesFilter(letter: DeadLetter, filter: LetterFilter): boolean {
  const { error, ...exact } = filter;
  if (error !== undefined && !letter.error.includes(error)) return false;
  return (Object.entries(exact) as [keyof typeof exact, string | undefined][]).every(
    ([name, value]) => value === undefined || letter[name] === value,
  );
}

function withoutStored({ stored: _, ...letter }: StoredLetter): DeadLetter {
  return letter;
}
