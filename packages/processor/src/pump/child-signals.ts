// The signals of handler calls: all of them abort together when the range may not go on. Without a listener for each on a signal that
// lives as long as the range.

export class ChildSignals {
  readonly #children: Set<AbortController> = new Set();
  #reason: { readonly value: unknown } | undefined;

  get size(): number {
    return this.#children.size;
  }

  open(): AbortController {
    const child = new AbortController();
    if (this.#reason !== undefined) child.abort(this.#reason.value);
    else this.#children.add(child);
    return child;
  }

  /** It does not abort any more. */
  release(child: AbortController): void {
    this.#children.delete(child);
  }

  abort(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { value: reason };
    const children = [...this.#children];
    this.#children.clear();
    for (const child of children) child.abort(reason);
  }
}
