// Splits and merges of a container that is used, drawn from a seed.

import type { SeededRandom } from '@tidemark/testing';
import type { Setting } from '../../conformance/processor/setting.ts';

const rangesMin = 2;
const rangesMax = 6;

export class Reshaper {
  readonly #setting: Setting;
  readonly #random: SeededRandom;
  splits = 0;
  merges = 0;

  constructor(setting: Setting, random: SeededRandom) {
    this.#setting = setting;
    this.#random = random;
  }

  async reshape(): Promise<void> {
    const ids = (await this.#setting.items.ranges()).map(({ id }) => id);
    const isSplit = ids.length <= rangesMin || (ids.length < rangesMax && this.#random.int(2) === 0);
    if (isSplit) {
      await this.#setting.split(this.#random.pick(ids));
      this.splits += 1;
      return;
    }
    const n = this.#random.int(ids.length - 1);
    await this.#setting.merge(ids.slice(n, n + 2));
    this.merges += 1;
  }
}
