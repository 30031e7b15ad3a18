// Memory of frames that is written over the moment it is released: whoever still looks finds nonsense.

import type { FrameSpace } from '@tidemark/engine/internal';
import { FrameMemory } from '@tidemark/engine/internal';

const poison = 0xee;

export class PoisonedFrames extends FrameMemory {
  override take(length: number): FrameSpace {
    const bytes = Buffer.allocUnsafeSlow(length);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) throw new Error('A frame is released twice.');
      isReleased = true;
      bytes.fill(poison);
    };
    return { bytes, release };
  }
}
