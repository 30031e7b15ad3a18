import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineBytesMax } from './limits.ts';
import type { Line } from './lines.ts';
import { linesOf, skipBytes } from './lines.ts';

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (let i = 0; from < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

async function collect(lines: AsyncIterable<Line>): Promise<Line[]> {
  const all: Line[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const beginning = { number: 0, end: 0 };
const texts = fc.array(fc.constantFrom('', 'a', 'é', '{"id":1}', 'x'.repeat(50)), { maxLength: 20 });
const sizes = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 });

test('lines are those of the text however it is cut, and each says where it ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      texts,
      sizes,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (rows, cuts, separator, isOpen) => {
        const text = Buffer.from(rows.join(separator) + (isOpen ? '' : separator));

        const lines = await collect(linesOf(chunked(text, cuts), beginning));

        const expected = text.toString().split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(lines.map(({ bytes }) => String(bytes))).toEqual(expected.map((line) => line.replace(/\r$/, '')));
        expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1));
        expect(lines.at(-1)?.end ?? 0).toBe(text.length);
        // Going on behind any line gives the rest.
        for (const [index, line] of lines.entries()) {
          const rest = await collect(linesOf(skipBytes(chunked(text, cuts), line.end), line));
          expect(rest).toEqual(lines.slice(index + 1));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('a line that is too long is told and not kept', async () => {
  const long = Buffer.alloc(lineBytesMax + 10, 'x');
  const text = Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nb')]);

  const lines = await collect(linesOf(chunked(text, [100_000]), beginning));

  expect(lines.map(({ bytes }) => bytes?.toString())).toEqual(['a', undefined, 'b']);
  expect(lines.at(-1)?.end).toBe(text.length);
});
