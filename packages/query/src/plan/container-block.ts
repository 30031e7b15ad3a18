// The block whose FROM is the container itself: the outermost one, or one that it reads from.

import type { BoundBlock } from '../bind/bound.ts';

export function containerBlock(outermost: BoundBlock): BoundBlock {
  return innerBlocksOf(outermost).at(-1) ?? outermost;
}

/** From the outside to the inside; without the outermost one. */
export function innerBlocksOf(outermost: BoundBlock): readonly BoundBlock[] {
  const blocks: BoundBlock[] = [];
  for (
    let [first] = outermost.sources;
    first?.kind === 'block' && first.block.isOfContainer;
    [first] = first.block.sources
  ) {
    blocks.push(first.block);
  }
  return blocks;
}
