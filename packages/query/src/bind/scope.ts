// Names that an expression may use: the aliases of its block, and those of the blocks around it.

import type { PathStep } from '../syntax/tree.ts';

export class Scope {
  readonly #outer: Scope | undefined;
  readonly #slots: Map<string, number>;
  readonly #isGrouped: boolean;

  constructor(outer: Scope | undefined, grouped?: Map<string, number>) {
    this.#outer = outer;
    this.#slots = grouped ?? new Map<string, number>();
    this.#isGrouped = grouped !== undefined;
  }

  /** As blocks within see it where the rows of this one have become groups. */
  afterGrouping(): Scope {
    return new Scope(this.#outer, this.#slots);
  }

  /** False when the block has this name already. */
  add(name: string, slot: number): boolean {
    if (this.#slots.has(name)) return false;
    this.#slots.set(name, slot);
    return true;
  }

  find(name: string): number | undefined {
    return this.#slots.get(name) ?? this.#outer?.find(name);
  }

  /** Whether it is a name of rows that have become groups. */
  isLost(name: string): boolean {
    return this.#slots.has(name) ? this.#isGrouped : this.#outer?.isLost(name) === true;
  }

  /** Whether it is a name of this block itself. */
  isOwn(name: string): boolean {
    return this.#slots.has(name);
  }
}

/** What `FROM c.children` can be called where it has no alias: its last step, if that is a name. */
export function impliedAlias(root: string, steps: readonly PathStep[]): string | undefined {
  const last = steps.at(-1);
  if (last === undefined) return root;
  return typeof last === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(last) ? last : undefined;
}
