// Where a walk through a segment ends, and what stands behind its end.

import { expect, test } from 'vitest';
import type { FileSystem } from '../files/file-system.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { frameKind, operation } from './frame.ts';
import { encodeFrame } from './frame-writer.ts';
import { SegmentScan } from './scan.ts';
import type { SegmentHeader } from './segment.ts';
import { encodeSegmentHeader, segmentFolder, segmentHeaderBytes, segmentPath } from './segment.ts';

const salt = Buffer.from('0123456789abcdef', 'hex');
const header: SegmentHeader = { id: 1, salt: salt.toString('hex'), kind: 'log', sync: 'full', firstSequence: 10 };

test('hands on every frame and ends at the zeros behind them [engine 4]', async () => {
  const frames = [aFrame(10, 100), aFrame(11, 3_000), aFrame(12, 1)];
  const files = await segmentOf(Buffer.concat(frames), 64 * 1024);

  const { sequences, end } = await walk(files);

  expect(sequences).toEqual([10, 11, 12]);
  expect(end).toMatchObject({ isInvalid: false, nextSequence: 13, offset: segmentHeaderBytes + lengthOf(frames) });
});

test.each([
  ['cut short', (frame: Buffer) => frame.fill(0, frame.length >> 1)],
  ['without its beginning', (frame: Buffer) => frame.fill(0, 16, 64)],
  ['with a flipped bit', (frame: Buffer) => frame.fill((frame[200] as number) ^ 1, 200, 201)],
])('ends before a last frame %s, and says that something is there', async (_, damage) => {
  const torn = aFrame(11, 2_000);
  damage(torn);
  const files = await segmentOf(Buffer.concat([aFrame(10, 50), torn]), 32 * 1024);

  const { sequences, end, later } = await walk(files);

  expect(sequences).toEqual([10]);
  expect(end.isInvalid).toBe(true);
  expect(later).toBeUndefined();
});

test('finds a whole frame beyond a broken one: that is damage, not an end [engine 4]', async () => {
  const broken = aFrame(11, 500);
  broken[100] = (broken[100] as number) ^ 1;
  const frames = [aFrame(10, 50), broken, aFrame(12, 20)];
  const files = await segmentOf(Buffer.concat(frames), 32 * 1024);

  const { later } = await walk(files);

  expect(later).toBe(segmentHeaderBytes + lengthOf(frames.slice(0, 2)));
});

test('finds the later frame also when the broken one is blank', async () => {
  const frames = [aFrame(10, 50), Buffer.alloc(4_096), aFrame(12, 20)];
  const files = await segmentOf(Buffer.concat(frames), 32 * 1024);

  const { end, later } = await walk(files);

  expect(end.isInvalid).toBe(false);
  expect(later).toBe(segmentHeaderBytes + lengthOf(frames.slice(0, 2)));
});

test('takes no frame of another segment, and none with an old sequence, for a later one', async () => {
  const foreign = aFrame(12, 20, Buffer.alloc(8, 9));
  const files = await segmentOf(Buffer.concat([aFrame(10, 50), foreign, aFrame(3, 20)]), 32 * 1024);

  const { sequences, end, later } = await walk(files);

  expect(sequences).toEqual([10]);
  expect(end.isInvalid).toBe(true);
  expect(later).toBeUndefined();
});

// The window is 4 MiB: frames and gaps are laid across its border in steps of one alignment.
test.each([-64, -56, -48, -40, -16, -8, 0, 8])(
  'a frame that begins %i bytes from the border of the window is read and found',
  async (shift) => {
    const windowBytes = 4 * 1024 * 1024;
    const filler = aFrame(10, windowBytes - 400);
    const gap = windowBytes + shift - filler.length;
    const behind = await segmentOf(Buffer.concat([filler, aFrame(11, 60), aFrame(12, 60)]), 6 * 1024 * 1024);
    const beyond = await segmentOf(Buffer.concat([filler, Buffer.alloc(gap), aFrame(12, 60)]), 6 * 1024 * 1024);

    expect((await walk(behind)).sequences).toEqual([10, 11, 12]);
    expect((await walk(beyond)).later).toBe(segmentHeaderBytes + filler.length + gap);
  },
);

test('ends at the end of the file when that cuts a frame off', async () => {
  const frames = [aFrame(10, 50), aFrame(11, 500)];
  const files = await segmentOf(Buffer.concat(frames).subarray(0, lengthOf(frames) - 8), 0);

  const { sequences, end } = await walk(files);

  expect(sequences).toEqual([10]);
  expect(end.isInvalid).toBe(true);
});

async function walk(
  files: FileSystem,
): Promise<{ sequences: number[]; end: SegmentScan['end']; later: number | undefined }> {
  const scan = await SegmentScan.open(files, header, { offset: segmentHeaderBytes, sequence: 10 });
  const sequences: number[] = [];
  for (let frame = await scan.next(); frame !== undefined; frame = await scan.next()) {
    sequences.push(frame.view.header.sequence);
  }
  const { end } = scan;
  const later = await scan.findLaterFrame();
  await scan.close();
  return { sequences, end, later };
}

async function segmentOf(frames: Buffer, sizeBytes: number): Promise<FileSystem> {
  const files = memoryFiles();
  await files.makeDirectory(segmentFolder);
  const file = await files.open(segmentPath(1), { create: true });
  if (sizeBytes > 0) await file.preallocate(sizeBytes);
  await file.write(encodeSegmentHeader(header), 0);
  await file.write(frames, segmentHeaderBytes);
  await file.close();
  return files;
}

function aFrame(sequence: number, bodyBytes: number, ownSalt: Buffer = salt): Buffer {
  const record = {
    operation: operation.create,
    flags: 1,
    lsn: sequence,
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
    body: Buffer.alloc(bodyBytes, 0x61),
    bodyLength: bodyBytes,
    tail: undefined,
  };
  const runs = [{ container: 1, range: 2, records: [record] }];
  return encodeFrame({ kind: frameKind.group, salt: ownSalt, sequence, firstOrdinal: 0, runs });
}

function lengthOf(frames: readonly Buffer[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}
