// What remains of a memory index when the power fails: any state that was synced, or nothing. Used beside PowerCutFiles.

import type { MemoryIndex, MemoryIndexSnapshot } from '@tidemark/engine/internal';
import { memoryIndex } from '@tidemark/engine/internal';
import type { SeededRandom } from './seeded-random.ts';

export class MemoryIndexDisk {
  readonly #states: MemoryIndexSnapshot[] = [memoryIndex().snapshot()];

  /** The synced states, oldest first. State 0 is the empty index: also what is left when the index is lost. */
  get stateCount(): number {
    return this.#states.length;
  }

  /** Opens as of that state, by default the newest; states after it are forgotten, as they would be on a disk. */
  open(state: number = this.#states.length - 1): MemoryIndex {
    const from = this.#states[state];
    if (from === undefined) throw new RangeError(`there are ${this.#states.length} states and no state ${state}`);
    this.#states.length = state + 1;
    return memoryIndex({ from, onSync: (synced) => this.#states.push(synced) });
  }

  /** As after a power cut: mostly the newest state, sometimes an older one, sometimes nothing. */
  openAfterCut(random: SeededRandom): MemoryIndex {
    return this.open(random.bool() ? this.#states.length - 1 : random.int(this.#states.length));
  }
}
