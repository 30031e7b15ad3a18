// The physical ranges as a source last saw them. Ids are never used again and never change their keys, so an entry is right for
// ever; what grows old is only which of them are alive.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';
import type { PhysicalRange } from './feed-source.ts';

export class RangeMap {
  readonly #load: (signal?: AbortSignal) => Promise<readonly PhysicalRange[]>;
  #ranges: readonly PhysicalRange[] | undefined;

  constructor(load: (signal?: AbortSignal) => Promise<readonly PhysicalRange[]>) {
    this.#load = load;
  }

  async refresh(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    this.#ranges = await this.#load(signal);
    return this.#ranges;
  }

  async byId(id: string, signal?: AbortSignal): Promise<PhysicalRange | undefined> {
    return find(await this.#known(signal), id) ?? find(await this.refresh(signal), id);
  }

  /** The range that has all these keys; `range-gone` when they lie in several. */
  async holding(keys: KeyRange, signal?: AbortSignal): Promise<PhysicalRange> {
    const found = holder(await this.#known(signal), keys) ?? holder(await this.refresh(signal), keys);
    if (found !== undefined) return found;
    throw new DatabaseError(
      'range-gone',
      `The keys from '${keys.min}' to '${keys.max}' do not lie in one range any more.`,
    );
  }

  async #known(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    return this.#ranges ?? this.refresh(signal);
  }
}

function find(ranges: readonly PhysicalRange[], id: string): PhysicalRange | undefined {
  return ranges.find((range) => range.id === id);
}

function holder(ranges: readonly PhysicalRange[], keys: KeyRange): PhysicalRange | undefined {
  return ranges.find((range) => range.min <= keys.min && keys.max <= range.max);
}
