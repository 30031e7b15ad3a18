// Chance that can be repeated: one seed, one run. sfc32 (Chris Doty-Humphrey, public domain): small, fast, and good enough
// to choose where the power fails.

export class SeededRandom {
  readonly #name: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number | string) {
    this.#name = String(seed);
    [this.#a, this.#b, this.#c] = hash(this.#name);
    // The first few results still show the seed.
    for (let i = 0; i < 12; i++) this.#next32();
  }

  /** A generator of its own, that depends on the seed and the name only: not on what was drawn before. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${name}`);
  }

  /** A whole number from 0 up to, and without, `n`. */
  int(n: number): number {
    return Math.floor(this.float() * n);
  }

  /** From 0 up to, and without, 1. */
  float(): number {
    return this.#next32() / 2 ** 32;
  }

  bool(probability = 0.5): boolean {
    return this.float() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('there is nothing to pick from');
    return choices[this.int(choices.length)] as T; // In range, as just checked.
  }

  /** A copy in random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T]; // Both in range.
    }
    return shuffled;
  }

  /** Fills all of it; fits `Environment.random` once bound. */
  bytes(target: Uint8Array): void {
    for (let i = 0; i < target.length; i++) target[i] = this.#next32() >>> 24;
  }

  #next32(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    return result >>> 0;
  }
}

/** Three words from a text, each an FNV-1a hash with its own start. */
function hash(text: string): [number, number, number] {
  const start = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b] as const;
  const words = start.map((word) => {
    let state: number = word;
    for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
    return state;
  });
  return words as [number, number, number]; // One for each start.
}
