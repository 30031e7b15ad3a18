// Signals that abort with their parent until they are let go. One listener on the parent for all of them: a range lives for days and
// sees a signal for every call.

export class ChildSignals {
  readonly #parent: AbortSignal;
  readonly #children: Set<AbortController> = new Set();

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    parent.addEventListener('abort', this.#abortAll);
  }

  get size(): number {
    return this.#children.size;
  }

  open(): AbortController {
    const child = new AbortController();
    if (this.#parent.aborted) child.abort(this.#parent.reason);
    else this.#children.add(child);
    return child;
  }

  /** It does not abort any more. */
  release(child: AbortController): void {
    this.#children.delete(child);
  }

  close(): void {
    this.#parent.removeEventListener('abort', this.#abortAll);
    this.#children.clear();
  }

  readonly #abortAll = (): void => {
    for (const child of this.#children) child.abort(this.#parent.reason);
    this.#children.clear();
  };
}
