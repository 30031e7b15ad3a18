import { expect, test } from 'vitest';
import { PageBody } from './page-body.ts';

const MiB = 1024 * 1024;

function piecesOf(buffer: Buffer, count: number, bytes: number): Buffer[] {
  const step = Math.floor(buffer.length / count);
  return Array.from({ length: count }, (_, n) => buffer.subarray(n * step, n * step + bytes));
}

test('long pieces that fill about half of their buffer are sent as they lie, and given back when they are sent', () => {
  const read = Buffer.alloc(MiB, 'x');
  let released = 0;
  const { body, heldBytes, onSent } = new PageBody('rid', piecesOf(read, 4, MiB / 8), 4, () => (released += 1));

  expect(Buffer.isBuffer(body)).toBe(false);
  expect(heldBytes).toBe(MiB);
  expect(released).toBe(0);
  onSent();
  expect(released).toBe(1);
});

test('long pieces with much between them are copied, so that an answer that nobody takes holds no more than itself', () => {
  const reads = [Buffer.alloc(MiB, 'x'), Buffer.alloc(MiB, 'y')];
  let released = 0;
  const pieces = reads.flatMap((read) => piecesOf(read, 2, 64 * 1024));
  const { body } = new PageBody('rid', pieces, 4, () => (released += 1));

  expect(released).toBe(1);
  expect(body.toString()).toBe(`{"_rid":"rid","Documents":[${Buffer.concat(pieces)}],"_count":4}`);
});
