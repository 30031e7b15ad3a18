// The memory that frames are written into, used again when they are in the index. A new buffer for each would live for as long as that
// takes, a second or so, and the garbage collector counts them: it would look through the whole heap several times a second.
//
// Frames lie one behind the other in blocks. A block is used again when all of its frames have been released, so nobody may keep a view of
// one: whoever needs bytes for longer copies them. Until the next frame is taken released ones are as they were: the group that is being
// flushed may look at the places of those that it supersedes.

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

export class FrameMemory {
  #current: Block | undefined;
  readonly #idle: Block[] = [];
  readonly #blockBytes: number;
  #frames = 0;

  constructor(blockBytes: number = frameBlockBytes) {
    this.#blockBytes = blockBytes;
  }

  /** What nobody uses at present. */
  get idleBlocks(): number {
    return this.#idle.length;
  }

  take(bytes: number): FrameSpace {
    // One that would leave much of a block unused is rare, and has memory of its own.
    if (bytes > this.#blockBytes / 2) return { bytes: Buffer.allocUnsafeSlow(bytes), release: () => {} };
    const block = this.#blockFor(bytes);
    const start = block.usedBytes;
    block.usedBytes += aligned(bytes);
    block.frames += 1;
    this.#frames += 1;
    return new BlockSpace(block.bytes.subarray(start, start + bytes), block, this);
  }

  /** Of a frame in this block. */
  released(block: Block): void {
    assert(block.frames > 0, 'a frame is released once');
    block.frames -= 1;
    this.#frames -= 1;
    if (block.frames > 0) return;
    this.emptied(block.bytes);
    block.usedBytes = 0;
    if (block !== this.#current && this.#idle.length < frameBlocksMax) this.#idle.push(block);
    // Nobody writes: most of what is kept for those who do is given back.
    if (this.#frames === 0 && this.#idle.length > restFrameBlocksMax) this.#idle.length = restFrameBlocksMax;
  }

  /** The next frame may be written here. Tests write something else first, so that whoever still looks finds it. */
  protected emptied(_block: Buffer): void {}

  #blockFor(bytes: number): Block {
    const current = this.#current;
    if (current !== undefined && current.usedBytes + bytes <= this.#blockBytes) return current;
    // A block that is full comes back when the last of its frames is released; if one never is, it is the collector's.
    this.#current = this.#idle.pop() ?? { bytes: Buffer.allocUnsafeSlow(this.#blockBytes), usedBytes: 0, frames: 0 };
    return this.#current;
  }
}

class BlockSpace implements FrameSpace {
  readonly bytes: Buffer;
  readonly #block: Block;
  readonly #memory: FrameMemory;

  constructor(bytes: Buffer, block: Block, memory: FrameMemory) {
    this.bytes = bytes;
    this.#block = block;
    this.#memory = memory;
  }

  release(): void {
    this.#memory.released(this.#block);
  }
}

/** The next frame begins with a cache line of its own. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
