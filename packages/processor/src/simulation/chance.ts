// Chance that can be repeated: one seed, one run. sfc32 (Chris Doty-Humphrey, public domain).

export class Chance {
  readonly #name: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.#name = seed;
    this.#a = hash(seed, 0x811c9dc5);
    this.#b = hash(seed, 0x9e3779b9);
    this.#c = hash(seed, 0x85ebca6b);
    // The first few results still show the seed.
    for (let i = 0; i < 12; i++) this.float();
  }

  /** A generator of its own, that depends on seed and name only: what is left out of a run does not change the rest of it. */
  fork(name: string): Chance {
    return new Chance(`${this.#name}/${name}`);
  }

  /** From 0 up to, and without, 1. */
  float(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    return (result >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, and without, `n`. */
  int(n: number): number {
    return Math.floor(this.float() * n);
  }

  between(min: number, max: number): number {
    return min + this.float() * (max - min);
  }

  bool(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('there is nothing to pick from');
    return choices[this.int(choices.length)] as T; // In range, as just checked.
  }
}

/** FNV-1a, with a start of its own for each word. */
function hash(text: string, start: number): number {
  let state = start;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state;
}
