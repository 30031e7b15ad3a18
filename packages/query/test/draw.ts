// Choices of a generator, small numbers first: what shrinks becomes the first choice of each list.

import fc from 'fast-check';

export interface Draw {
  /** From 0 up to and with `max`. */
  readonly upTo: (max: number) => number;
}

export const draws: fc.Arbitrary<Draw> = fc.gen().map((generate) => ({ upTo: (max) => generate(fc.nat, { max }) }));

export function oneOf<T>(draw: Draw, list: readonly T[]): T {
  // Of a list that is not empty.
  return list[draw.upTo(list.length - 1)] as T;
}

/** True in so many of a hundred cases. */
export function inPercent(draw: Draw, percent: number): boolean {
  return draw.upTo(999) >= 1000 - 10 * percent;
}

export function listOf<T>(draw: Draw, most: number, make: () => T, least = 0): readonly T[] {
  return Array.from({ length: least + draw.upTo(most - least) }, make);
}
