// The memory that frames are written into, used again when they are in the index. A new buffer for each would live for as long as that
// takes, a second or so, and the garbage collector counts them: it would look through the whole heap several times a second.
//
// Frames lie one behind the other in blocks. A block is used again when all of its frames have been released, so nobody may keep a view of
// one: whoever needs bytes for longer than a frame is in the overlay, or over an `await`, copies them.

import { Buffer } from 'node:buffer';
import { assert } from '@tidemark/model';
import { frameBlockBytes, frameBlocksMax, restFrameBlocksMax } from '../limits.ts';

/** Memory for one frame. */
export interface FrameSpace {
  readonly bytes: Buffer;
  /** Called once, when nobody looks at the bytes any more. */
  release(): void;
}

interface Block {
  readonly bytes: Buffer;
  usedBytes: number;
  frames: number;
}

/** With each frame the most that were in use at a time counts a little less: memory of a burst goes though somebody goes on to write. */
const peakShare = 0.9998;

export class FrameMemory {
  #current: Block | undefined;
  readonly #idle: Block[] = [];
  /** Blocks that have frames. */
  #used = 0;
  #peak = 0;

  /** What nobody uses at present, but for the block that is being filled. */
  get idleBlocks(): number {
    return this.#idle.length;
  }

  take(bytes: number): FrameSpace {
    // One that would leave much of a block unused is rare, and has memory of its own.
    if (bytes > frameBlockBytes / 2) return { bytes: Buffer.allocUnsafeSlow(bytes), release: () => {} };
    const block = this.#blockFor(bytes);
    const start = block.usedBytes;
    block.usedBytes += aligned(bytes);
    block.frames += 1;
    if (block.frames === 1) this.#used += 1;
    this.#peak = Math.max(this.#used, this.#peak * peakShare);
    this.#giveBack();
    return new BlockSpace(block.bytes.subarray(start, start + bytes), () => this.#released(block));
  }

  #released(block: Block): void {
    block.frames -= 1;
    if (block.frames > 0) return;
    this.#used -= 1;
    block.usedBytes = 0;
    if (block !== this.#current) this.#idle.push(block);
    if (this.#used === 0) this.#peak = 0;
    this.#giveBack();
  }

  /** What is not needed for as many as there were a moment ago. */
  #giveBack(): void {
    const wanted = Math.min(frameBlocksMax, Math.ceil(this.#peak)) - this.#used;
    const kept = Math.max(restFrameBlocksMax, wanted);
    if (this.#idle.length > kept) this.#idle.length = kept;
  }

  #blockFor(bytes: number): Block {
    const current = this.#current;
    if (current !== undefined && current.usedBytes + bytes <= frameBlockBytes) return current;
    // A block that is full comes back when the last of its frames is released; if one never is, it is the collector's.
    this.#current = this.#idle.pop() ?? { bytes: Buffer.allocUnsafeSlow(frameBlockBytes), usedBytes: 0, frames: 0 };
    return this.#current;
  }
}

class BlockSpace implements FrameSpace {
  readonly bytes: Buffer;
  #released: (() => void) | undefined;

  constructor(bytes: Buffer, released: () => void) {
    this.bytes = bytes;
    this.#released = released;
  }

  release(): void {
    assert(this.#released !== undefined, 'a frame is released once');
    this.#released();
    this.#released = undefined;
  }
}

/** The next frame begins with a cache line of its own. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
