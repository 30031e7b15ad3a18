// Rids in the index: those of documents that were made one after the other lie together in one entry, a block. A document's rid is
// put once and read seldom, and for LMDB eight entries are eight times the work of one that is eight times as long.
//
// RID BLOCK, a value of the index: for each rid of the block, in their order
//
//   0 rid number, from the first of the block u8   1 doc key bytes u16 little-endian   3 doc key

import { Buffer } from 'node:buffer';
import { copyBytes } from '../log/copy-bytes.ts';
import { SlabPut, SlabRoom, slabBytesOf } from './entry-slab.ts';
import type { IndexChange, IndexStore } from './index-store.ts';
import { firstRidOf, ridBlockKey, ridKeyBytes, ridNumberOfKey, ridsPerBlock, writeRidKey } from './keys.ts';

const headBytes = 3;
/** Some milliseconds. */
const blocksPerTurn = 1_024;

export interface Rid {
  readonly ridNumber: number;
  /** Of the document. */
  readonly key: Buffer;
}

/** The doc key of a document that the index has. */
export function findIndexedRid(
  index: Pick<IndexStore, 'get'>,
  container: number,
  ridNumber: number,
): Buffer | undefined {
  const block = index.get(ridBlockKey(container, ridNumber));
  if (block === undefined) return undefined;
  const wanted = ridNumber - firstRidOf(ridNumber);
  for (let at = 0; at < block.length; at = endOf(block, at)) {
    if (block[at] === wanted) return Buffer.from(block.subarray(at + headBytes, endOf(block, at)));
  }
  return undefined;
}

/** Those of an entry of the index. */
export function ridsOfBlock(key: Buffer, block: Buffer): Rid[] {
  const first = ridNumberOfKey(key);
  const rids: Rid[] = [];
  for (let at = 0; at < block.length; at = endOf(block, at)) {
    rids.push({ ridNumber: first + (block[at] as number), key: block.subarray(at + headBytes, endOf(block, at)) });
  }
  return rids;
}

function endOf(block: Buffer, at: number): number {
  return at + headBytes + (block[at + 1] as number) + ((block[at + 2] as number) << 8);
}

/** The doc key of a rid that the index is to have: bytes [start, end). */
interface DocKeyAt {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** By the position in the block. Null: it goes. Undefined: it stays as it is. */
type BlockChanges = (DocKeyAt | null | undefined)[];

/** What one transaction does to the rids of the index. The last change of a rid counts. */
export class RidChanges {
  /** Container → first rid → what becomes of the block. */
  readonly #blocks = new Map<number, Map<number, BlockChanges>>();

  /** The doc key is bytes [start, end) of `bytes`, which must not change until the changes are taken. */
  put(container: number, ridNumber: number, bytes: Buffer, start: number, end: number): void {
    this.#set(container, ridNumber, { bytes, start, end });
  }

  remove(container: number, ridNumber: number): void {
    this.#set(container, ridNumber, null);
  }

  /** For the next transaction on the index as it is. Of scattered deletes there are tens of thousands: others have a turn meanwhile. */
  async on(index: Pick<IndexStore, 'get'>, nextTurn: () => Promise<void>): Promise<IndexChange[]> {
    const changes: IndexChange[] = [];
    const room = new SlabRoom();
    for (const [container, blocks] of this.#blocks) {
      for (const [first, block] of blocks) {
        if (changes.length % blocksPerTurn === blocksPerTurn - 1) await nextTurn();
        // Of documents that were all made since the last transaction the index has nothing.
        if (block.includes(undefined)) addPresent(block, index.get(ridBlockKey(container, first)));
        changes.push(encoded(container, first, block, room));
      }
    }
    return changes;
  }

  #set(container: number, ridNumber: number, change: DocKeyAt | null): void {
    let blocks = this.#blocks.get(container);
    if (blocks === undefined) {
      blocks = new Map();
      this.#blocks.set(container, blocks);
    }
    const first = firstRidOf(ridNumber);
    let block = blocks.get(first);
    if (block === undefined) {
      block = new Array<DocKeyAt | null | undefined>(ridsPerBlock).fill(undefined);
      blocks.set(first, block);
    }
    block[ridNumber - first] = change;
  }
}

function addPresent(block: BlockChanges, present: Buffer | undefined): void {
  if (present === undefined) return;
  for (let at = 0; at < present.length; at = endOf(present, at)) {
    const position = present[at] as number;
    if (block[position] === undefined) {
      block[position] = { bytes: present, start: at + headBytes, end: endOf(present, at) };
    }
  }
}

function encoded(container: number, first: number, block: BlockChanges, room: SlabRoom): IndexChange {
  let length = 0;
  for (const key of block) if (key) length += headBytes + key.end - key.start;
  if (length === 0) return { key: ridBlockKey(container, first), value: undefined };
  const start = room.take(slabBytesOf(ridKeyBytes, length));
  const { slab } = room;
  const { bytes } = slab;
  writeRidKey(container, first, bytes, start);
  let end = start + ridKeyBytes;
  for (let position = 0; position < ridsPerBlock; position += 1) {
    const key = block[position];
    if (!key) continue;
    const keyBytes = key.end - key.start;
    bytes[end] = position;
    bytes[end + 1] = keyBytes & 0xff;
    bytes[end + 2] = keyBytes >> 8;
    end = copyBytes(key.bytes, key.start, key.end, bytes, end + headBytes);
  }
  return new SlabPut(slab, start, ridKeyBytes, length);
}
