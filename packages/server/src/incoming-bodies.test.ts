import type { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { IncomingBodies } from './incoming-bodies.ts';
import { bodyBytesMax } from './limits.ts';

const KiB = 1024;

function bodiesAt(limits: { bodiesBytesMax: number; bodyMsMin: number }) {
  const clock = { nowMs: 0 };
  const bodies = new IncomingBodies(limits, () => clock.nowMs);
  const refused: string[] = [];
  const open = (name: string) => bodies.open(({ code }) => refused.push(`${name} ${code}`));
  return { clock, bodies, refused, open };
}

test('a body is what its chunks were, however small, and is forgotten when it is whole', () => {
  const { bodies, open } = bodiesAt({ bodiesBytesMax: 1024 * KiB, bodyMsMin: 0 });
  const body = open('a');
  const text = 'some text, byte by byte, '.repeat(5_000);
  for (const byte of Buffer.from(text)) body.add(Buffer.from([byte]));
  expect(bodies.sizeBytes).toBeLessThanOrEqual(4 * text.length);

  expect(body.end().toString()).toBe(text);
  expect(bodies.sizeBytes).toBe(0);
});

test('a body that becomes too large is refused, and what it had is forgotten at once', () => {
  const { bodies, open, refused } = bodiesAt({ bodiesBytesMax: 64 * bodyBytesMax, bodyMsMin: 0 });
  const body = open('a');
  const chunk = Buffer.alloc(64 * KiB);
  for (let size = 0; size <= bodyBytesMax; size += chunk.length) body.add(chunk);
  body.add(chunk);

  expect(refused).toEqual(['a document-too-large']);
  expect(bodies.sizeBytes).toBe(0);
  body.close();
  expect(bodies.sizeBytes).toBe(0);
});

test.each([
  ['document', 'document-too-large', 'A document may have at most 2097152 bytes (2 MiB)'],
  ['batch', 'batch-too-large', 'A batch may have at most 2097152 bytes (2 MiB)'],
  ['other', 'document-too-large', 'The body of a request may have at most 3145728 bytes (3 MiB)'],
] as const)('a body of a %s that is too large is told the limit that it has to keep', (kind, code, words) => {
  const refused: DatabaseError[] = [];
  const body = new IncomingBodies().open((error) => refused.push(error), kind);

  body.add(Buffer.alloc(bodyBytesMax + 1));

  expect(refused).toMatchObject([{ code, message: expect.stringContaining(words) }]);
});

test('too much at a time: the newest is refused while the others are young, and the oldest when it is not', () => {
  const { bodies, clock, open, refused } = bodiesAt({ bodiesBytesMax: 256 * KiB, bodyMsMin: 1_000 });
  const first = open('first');
  const second = open('second');
  first.add(Buffer.alloc(128 * KiB));
  second.add(Buffer.alloc(128 * KiB));

  open('third').add(Buffer.alloc(1));
  expect(refused).toEqual(['third unavailable']);
  clock.nowMs = 1_000;
  const fourth = open('fourth');
  fourth.add(Buffer.alloc(128 * KiB));

  expect(refused).toEqual(['third unavailable', 'first unavailable']);
  expect(bodies.sizeBytes).toBe(256 * KiB);
  expect([second.end().length, fourth.end().length]).toEqual([128 * KiB, 128 * KiB]);
  expect(first.end().length).toBe(0);
  expect(bodies.sizeBytes).toBe(0);
});
