// Memory of frames that is written over as soon as it may be, in small blocks: whoever looks at a frame that was released finds nonsense.

import type { FrameSpace } from '@tidemark/engine/internal';
import { FrameMemory } from '@tidemark/engine/internal';

const blockBytes: number = 8 * 1024;
const poison = 0xee;

export class PoisonedFrames extends FrameMemory {
  readonly #empty: Buffer[] = [];

  constructor() {
    super(blockBytes);
  }

  override take(bytes: number): FrameSpace {
    for (const block of this.#empty.splice(0)) block.fill(poison);
    return super.take(bytes);
  }

  protected override emptied(block: Buffer): void {
    this.#empty.push(block);
  }
}
