// The block whose FROM is the container itself: the outermost one, or one that it reads from.

import type { BoundBlock } from '../bind/bound.ts';
import type { Query } from '../syntax/tree.ts';

export function containerBlock(outermost: BoundBlock): BoundBlock {
  return innerBlocksOf(outermost).at(-1) ?? outermost;
}

/** From the outside to the inside; without the outermost one. */
export function innerBlocksOf(outermost: BoundBlock): readonly BoundBlock[] {
  const [first] = outermost.sources;
  return first?.kind === 'block' && first.block.isOfContainer ? [first.block, ...innerBlocksOf(first.block)] : [];
}

/** The block that a block reads from, as it was written and as it is understood; undefined where that is the container. */
export function containerSubquery(
  tree: Query,
  block: BoundBlock,
): { readonly tree: Query; readonly block: BoundBlock } | undefined {
  const [inner] = innerBlocksOf(block);
  let source = tree.from;
  while (source?.kind === 'join') source = source.left;
  if (inner === undefined || source?.collection.kind !== 'subquery') return undefined;
  return { tree: source.collection.query, block: inner };
}

/** Rows go on as they come. */
export function isStreaming({ isGrouped, isDistinct, orderBy }: BoundBlock): boolean {
  return !isGrouped && !isDistinct && orderBy.length === 0;
}

/** The same, and all of them. */
export function isPlain(block: BoundBlock): boolean {
  return isStreaming(block) && block.top === undefined && block.offset === undefined;
}
