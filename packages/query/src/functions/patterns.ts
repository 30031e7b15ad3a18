// Patterns in the form in which they are matched, which mostly are the same for every document. They are kept for one page of a
// query and not in the query, which is kept for who asks it again: some are a thousand times as large as their text.

/** So many parts of patterns in all. Beyond it they are forgotten, and made anew for who still asks. */
const partsMax = 65_536;

export class Patterns<T> {
  /** By what else they depend on, and by their texts. */
  readonly #kept = new Map<string | undefined, Map<string, T>>();
  #parts = 0;

  get(options: string | undefined, text: string): T | undefined {
    return this.#kept.get(options)?.get(text);
  }

  set(options: string | undefined, text: string, pattern: T, parts: number): void {
    if (parts > partsMax) return;
    this.#parts += parts + text.length + 10;
    if (this.#parts > partsMax) {
      this.#kept.clear();
      this.#parts = parts;
    }
    const kept = this.#kept.get(options) ?? new Map<string, T>();
    kept.set(text, pattern);
    this.#kept.set(options, kept);
  }
}
