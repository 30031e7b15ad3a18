// A walk over the slices of a range: each one once, in LSN order, from wherever it starts, wherever they lie by then.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { framesKey } from '../index/keys.ts';
import type { MemoryIndex } from '../index/memory-index.ts';
import { memoryIndex } from '../index/memory-index.ts';
import type { Slice } from '../index/slices.ts';
import { encodeSlices } from '../index/slices.ts';
import { BufferPool } from '../log/buffer-pool.ts';
import { FrameView, frameKind, operation, readFrameHeader } from '../log/frame.ts';
import { encodeFrame } from '../log/frame-writer.ts';
import type { Part } from '../log/parts.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { slicesOf } from '../state/group.ts';
import { Overlay } from '../state/overlay.ts';
import { SliceWalk } from './slice-walk.ts';
import type { Room } from './window.ts';

const salt = Buffer.alloc(8, 3);
const range = 5;

/** How many LSNs each frame holds, how many slices a chunk, and how many of the last are still in the overlay. */
const layout = fc.record({
  frames: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 20 }),
  perChunk: fc.integer({ min: 1, max: 5 }),
  inOverlay: fc.nat({ max: 6 }),
  after: fc.nat({ max: 60 }),
  needsTables: fc.boolean(),
  room: fc.record({
    itemsLeft: fc.nat({ max: 20 }),
    bytesLeft: fc.nat({ max: 100 }),
    beforeLsn: fc.nat({ max: 60 }),
  }),
});

test('hands out every slice with anything after the start, once and in order [engine 7]', async () => {
  await fc.assert(
    fc.asyncProperty(layout, async ({ frames, perChunk, inOverlay, after, needsTables, room }) => {
      const place = await lay(frames, perChunk, inOverlay);
      const walk = new SliceWalk(place.state, range, after, { needsTables });

      expect(await firstLsns(walk, room)).toEqual(place.slices.filter((s) => s.lastLsn > after).map((s) => s.firstLsn));
      expect(walk.peek()).toBeUndefined();
    }),
  );
});

test('goes on where it was when its segment has been replaced meanwhile [engine 9]', async () => {
  await fc.assert(
    fc.asyncProperty(layout, fc.nat({ max: 10 }), async ({ frames, perChunk, after, needsTables, room }, steps) => {
      const place = await lay(frames, perChunk, 0);
      const walk = new SliceWalk(place.state, range, after, { needsTables });
      const found: number[] = [];
      for (let i = 0; i < steps; i += 1) {
        const loaded = await walk.next(room);
        if (loaded !== undefined) found.push(loaded.slice.firstLsn);
      }

      await place.moveTo(8);

      found.push(...(await firstLsns(walk, room)));
      expect(found).toEqual(place.slices.filter((s) => s.lastLsn > after).map((s) => s.firstLsn));
    }),
  );
});

async function firstLsns(walk: SliceWalk, room: Room): Promise<number[]> {
  const found: number[] = [];
  while (walk.peek() !== undefined) {
    const loaded = await walk.next(room);
    // Undefined: its segment is gone, and where it is now comes next.
    if (loaded === undefined) continue;
    const { slice, view, bodies } = loaded;
    found.push(slice.firstLsn);
    if (view !== undefined) expect(view.lsn(0)).toBe(slice.firstLsn);
    else expect(slice.lastLsn).toBeLessThan(room.beforeLsn);
    expect(`[${bodies}]`).toBe(JSON.stringify(Array.from({ length: slice.records }, () => ({}))));
  }
  return found;
}

interface Laid {
  readonly state: DatabaseState;
  readonly slices: readonly Slice[];
  /** Every slice is in this segment from now on, and in no other. */
  moveTo(segment: number): Promise<void>;
}

async function lay(frames: readonly number[], perChunk: number, inOverlay: number): Promise<Laid> {
  const images: Buffer[] = [];
  const slices: Slice[] = [];
  let offset = 0;
  let lsn = 1;
  for (const [i, records] of frames.entries()) {
    const image = frameOf(lsn, records, i);
    slices.push(...slicesOf(viewOf(image), 1, offset).map(({ slice }) => slice));
    images.push(image);
    offset += image.length;
    lsn += records;
  }
  const bytes = Buffer.concat(images);
  const index: MemoryIndex = memoryIndex();
  const indexed = Math.max(0, slices.length - inOverlay);
  let segment = 1;
  const write = async (): Promise<void> => {
    for (let i = 0; i < indexed; i += perChunk) {
      const chunk = slices.slice(i, Math.min(indexed, i + perChunk)).map((slice) => ({ ...slice, segment }));
      await index.apply([{ key: framesKey(range, (chunk[0] as Slice).firstLsn), value: encodeSlices(chunk) }]);
    }
  };
  await write();
  const overlay = new Overlay();
  for (const [i, slice] of slices.slice(indexed).entries()) {
    overlay.addSlice(range, { slice, view: viewOf(images[indexed + i] as Buffer), order: 1 });
  }
  const stub = {
    index,
    overlay,
    usage: { supersededBits: () => Buffer.alloc(0) },
    segments: {
      find: (id: number) => (id === segment ? { salt } : undefined),
      buffers: new BufferPool(),
      readInto: (id: number, parts: readonly Part[], target: Buffer) => {
        if (id !== segment) return undefined;
        let filled = 0;
        for (const { offset: from, length } of parts) filled += bytes.copy(target, filled, from, from + length);
        return filled;
      },
    },
  };
  // A walk asks nothing else of the state.
  const state = stub as unknown as DatabaseState;
  const moveTo = async (id: number): Promise<void> => {
    segment = id;
    await write();
  };
  return { state, slices, moveTo };
}

function frameOf(firstLsn: number, count: number, sequence: number): Buffer {
  const records = Array.from({ length: count }, (_, i) => ({
    operation: operation.create,
    flags: 1,
    lsn: firstLsn + i,
    ix: 0,
    previousLsn: 0,
    previousIx: 0,
    timeMs: 1,
    ridNumber: 1,
    ttl: undefined,
    epk: Buffer.from('e'),
    partitionKey: Buffer.from('p'),
    id: Buffer.from('i'),
    uniqueDigests: Buffer.alloc(0),
    body: Buffer.from('{}'),
    bodyLength: 2,
    tail: undefined,
  }));
  return encodeFrame({
    kind: frameKind.group,
    salt,
    sequence,
    firstOrdinal: 0,
    runs: [{ container: 1, range, records }],
  });
}

function viewOf(frame: Buffer): FrameView {
  const header = readFrameHeader(frame, 0, salt);
  if (header === undefined) throw new Error('a frame just written cannot be read');
  return new FrameView(frame, header);
}
