// Frames: what goes in comes out, and no flipped byte goes unnoticed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameView, frameKind, operation, readFrameHeader, relocateFrame } from './frame.ts';
import type { BodyTail, FrameInput, RecordInput, RunInput } from './frame-writer.ts';
import { encodeFrame, occupiedBytes, recordInputBytes } from './frame-writer.ts';

const bytes = (constraints: fc.IntArrayConstraints): fc.Arbitrary<Buffer> =>
  fc.uint8Array(constraints).map((array) => Buffer.from(array));
const lsn = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const ix = fc.integer({ min: 0, max: 0xffff });

/** Whatever stands behind a body. */
class TextTail implements BodyTail {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  tailBytes(): number {
    return this.text.length;
  }

  writeTail(_record: RecordInput, target: Buffer, offset: number): number {
    return offset + target.write(this.text, offset, 'latin1');
  }
}

const aRecord: fc.Arbitrary<RecordInput> = fc
  .record({
    isDelete: fc.boolean(),
    flags: fc.integer({ min: 0, max: 3 }),
    lsn,
    ix,
    previousLsn: lsn,
    previousIx: ix,
    timeMs: lsn,
    ridNumber: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    ttl: fc.option(
      fc.integer({ min: -1, max: 2 ** 31 - 1 }).filter((ttl) => ttl !== 0),
      { nil: undefined },
    ),
    epk: bytes({ minLength: 1, maxLength: 312 }),
    partitionKey: bytes({ maxLength: 300 }),
    id: bytes({ minLength: 1, maxLength: 300 }),
    digests: fc.integer({ min: 0, max: 3 }),
    body: bytes({ minLength: 1, maxLength: 400 }),
    behind: bytes({ maxLength: 3 }),
    suffix: fc.stringMatching(/^[ -~]{0,40}$/),
  })
  .map(({ isDelete, digests, body, behind, suffix, ...rest }) => ({
    ...rest,
    operation: isDelete ? operation.delete : operation.create,
    uniqueDigests: Buffer.alloc(digests * 16, 7),
    body: isDelete ? undefined : Buffer.concat([body, behind.subarray(0, suffix.length)]),
    bodyLength: isDelete ? 0 : body.length,
    tail: isDelete ? undefined : new TextTail(suffix),
  }));

const aRun: fc.Arbitrary<RunInput> = fc.record({
  container: fc.nat(),
  range: fc.nat(),
  records: fc.array(aRecord, { minLength: 1, maxLength: 5 }),
});

const aFrame: fc.Arbitrary<FrameInput> = fc.record({
  kind: fc.constantFrom(frameKind.group, frameKind.meta),
  salt: bytes({ minLength: 8, maxLength: 8 }),
  sequence: lsn,
  firstOrdinal: fc.nat(),
  runs: fc.array(aRun, { minLength: 1, maxLength: 4 }),
});

test('a frame reads back as it was written [engine 4]', () => {
  fc.assert(
    fc.property(aFrame, (input) => {
      const frame = encodeFrame(input);
      const view = viewOf(frame, input.salt);

      expect(view?.verifyAll()).toBe(true);
      expect(frame.length % 8).toBe(0);
      expect(frame.length).toBeLessThanOrEqual(lengthMaxOf(input));
      expect(view?.header.sequence).toBe(input.sequence);
      expect(recordsOf(view as FrameView)).toEqual(input.runs.flatMap((run) => run.records.map(expectedOf)));
    }),
    { numRuns: 200 },
  );
});

test('the bodies of a run stand side by side, joined by commas [engine 4]', () => {
  fc.assert(
    fc.property(aFrame, (input) => {
      const view = viewOf(encodeFrame(input), input.salt) as FrameView;

      for (const [run, { records }] of input.runs.entries()) {
        const offset = view.bodyOffsetOfRun(run);
        const inside = view.bytes.subarray(offset, offset + view.bodyBytesOfRun(run));
        const bodies = records.filter((r) => r.body !== undefined).map((r) => bodyOf(r).toString('latin1'));
        expect(inside.toString('latin1')).toBe(bodies.join(','));
      }
    }),
    { numRuns: 100 },
  );
});

test('every flipped byte of a frame is found, padding apart [engine 4]', () => {
  fc.assert(
    fc.property(aFrame, fc.integer({ min: 1, max: 255 }), (input, flip) => {
      const frame = encodeFrame(input);
      const view = viewOf(frame, input.salt) as FrameView;
      const lastRun = input.runs.length - 1;
      const end = view.bodyOffsetOfRun(lastRun) + view.bodyBytesOfRun(lastRun);

      for (let at = 0; at < end; at += 1) {
        const broken = Buffer.from(frame);
        broken[at] = (broken[at] as number) ^ flip;
        expect(viewOf(broken, input.salt)?.verifyAll() ?? false, `byte ${at} of ${end}`).toBe(false);
      }
    }),
    { numRuns: 25 },
  );
});

test('a frame cut short is never valid [engine 4]', () => {
  fc.assert(
    fc.property(aFrame, fc.float({ min: 0, max: Math.fround(0.999), noNaN: true }), (input, share) => {
      const frame = encodeFrame(input);

      expect(viewOf(frame.subarray(0, Math.floor(frame.length * share)), input.salt)?.verifyAll() ?? false).toBe(false);
    }),
  );
});

test('a frame copied to another place says the same, there only [engine 4]', () => {
  fc.assert(
    fc.property(aFrame, bytes({ minLength: 8, maxLength: 8 }), (input, salt) => {
      fc.pre(!salt.equals(Buffer.from(input.salt)));
      const copy = relocateFrame(encodeFrame(input), { salt, sequence: 5, firstOrdinal: 9 });
      const view = viewOf(copy, salt) as FrameView;

      expect(view.verifyAll()).toBe(true);
      expect(view.header).toMatchObject({ sequence: 5, firstOrdinal: 9 });
      expect(recordsOf(view)).toEqual(input.runs.flatMap((run) => run.records.map(expectedOf)));
      expect(readFrameHeader(copy, 0, input.salt)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

function viewOf(frame: Buffer, salt: Uint8Array): FrameView | undefined {
  const header = readFrameHeader(frame, 0, salt);
  return header === undefined ? undefined : new FrameView(frame, header);
}

function recordsOf(view: FrameView): unknown[] {
  return Array.from({ length: view.header.recordCount }, (_, record) => ({
    operation: view.operation(record),
    flags: view.flags(record),
    lsn: view.lsn(record),
    ix: view.ix(record),
    previousLsn: view.previousLsn(record),
    previousIx: view.previousIx(record),
    timeMs: view.timeMs(record),
    ridNumber: view.ridNumber(record),
    ttl: view.ttl(record),
    epk: view.epk(record).toString('hex'),
    partitionKey: view.partitionKey(record).toString('hex'),
    id: view.id(record).toString('hex'),
    digests: view.uniqueDigests(record).toString('hex'),
    body: view.body(record).toString('hex'),
    isBodyRight: view.bodyLength(record) === 0 || view.verifyBody(record),
    occupied: view.recordBytes(record),
  }));
}

function expectedOf(r: RecordInput): unknown {
  const { operation: kind, flags, previousLsn, previousIx, timeMs, ridNumber, ttl } = r;
  return {
    operation: kind,
    flags,
    lsn: r.lsn,
    ix: r.ix,
    previousLsn,
    previousIx,
    timeMs,
    ridNumber,
    ttl,
    epk: Buffer.from(r.epk).toString('hex'),
    partitionKey: Buffer.from(r.partitionKey).toString('hex'),
    id: Buffer.from(r.id).toString('hex'),
    digests: Buffer.from(r.uniqueDigests).toString('hex'),
    body: bodyOf(r).toString('hex'),
    isBodyRight: true,
    occupied: occupiedBytes(r),
  };
}

/** As the compaction reckons, with padding. */
function lengthMaxOf({ runs }: FrameInput): number {
  const records = runs.flatMap((run) => run.records);
  return 48 + runs.length * 32 + records.reduce((sum, record) => sum + recordInputBytes(record), 0) + 7;
}

function bodyOf(r: RecordInput): Buffer {
  if (r.body === undefined) return Buffer.alloc(0);
  return Buffer.concat([r.body.subarray(0, r.bodyLength), Buffer.from((r.tail as TextTail).text)]);
}
