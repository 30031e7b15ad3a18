// Prepared queries, kept for whoever asks the same again: an app asks a few dozen texts, with other parameters each time.

import type { ContainerFacts } from './bind/container-facts.ts';
import { noFacts } from './bind/container-facts.ts';
import type { PreparedQuery } from './query.ts';
import { prepareQuery } from './query.ts';

/**
 * So many, and so many characters of text in all; those that were not asked for the longest time go. What a query becomes takes some 250
 * bytes for each character of a text that is all names and signs.
 */
const queriesMax = 1_000;
const charactersMax: number = 1024 * 1024;
/** What stands for a computed property takes as much as if it were written out. */
const charactersPerPart = 4;

interface Kept {
  readonly prepared: PreparedQuery;
  readonly characters: number;
}

export class PreparedQueries {
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /** Throws a QueryError, which is found anew each time. */
  prepare(text: string, parameterNames: readonly string[], facts: ContainerFacts = noFacts): PreparedQuery {
    const name = JSON.stringify([text, facts.name, ...parameterNames]);
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept.prepared;
    }
    const prepared = prepareQuery(text, parameterNames, facts);
    const characters = name.length + charactersPerPart * prepared.program.query.computedParts;
    this.#kept.set(name, { prepared, characters });
    this.#characters += characters;
    this.#forget();
    return prepared;
  }

  #forget(): void {
    for (const [name, { characters }] of this.#kept) {
      if (this.#kept.size <= queriesMax && this.#characters <= charactersMax) return;
      this.#kept.delete(name);
      this.#characters -= characters;
    }
  }
}
