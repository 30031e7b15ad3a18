// The keys of GROUP BY, found by what they say: an expression of the select list is a key where it says the same, however it is written.
//
// Each part of an expression has a number, and parts that say the same have the same one: it follows from the numbers of what is in the
// part, so that each is looked at once, however many keys there are and however deep they nest.

import type { Expression } from '../syntax/tree.ts';

export class GroupKeys {
  /** By what a part says, in the numbers of what is in it. */
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();
  readonly #places = new Map<number, number>();

  constructor(keys: readonly Expression[]) {
    for (const [place, key] of keys.entries()) {
      const number = this.#numberOf(key);
      if (!this.#places.has(number)) this.#places.set(number, place);
    }
  }

  /** Which key says this; the first one, where several do. */
  placeOf(expression: Expression): number | undefined {
    return this.#places.size === 0 ? undefined : this.#places.get(this.#numberOf(expression));
  }

  #numberOf(part: unknown): number {
    if (typeof part !== 'object' || part === null) return this.#numberOfText(textOf(part));
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const within = Object.entries(part)
      .filter(([name]) => name !== 'start' && name !== 'end')
      .map(([name, value]) => `${name} ${this.#numberOf(value)}`)
      .sort();
    const number = this.#numberOfText(`{${within.join(',')}}`);
    this.#known.set(part, number);
    return number;
  }

  #numberOfText(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Begins with its type, and what has parts with a brace. The two zeros say different things, as in a quotient. */
function textOf(scalar: unknown): string {
  return `${typeof scalar} ${Object.is(scalar, -0) ? '-0' : String(scalar)}`;
}
