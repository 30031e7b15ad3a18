import { SeededRandom } from '@tidemark/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHead } from './head.ts';
import { HeadPrefix } from './head-prefix.ts';

const headEnd = '\r\n\r\n';

function isHead(text: string): boolean {
  const end = text.indexOf(headEnd);
  return end !== -1 && typeof parseHead(text.slice(0, end + 2)) === 'object';
}

/** In pieces of these lengths, over and over. */
function mayBecomeHead(text: string, lengths: readonly number[]): boolean {
  const prefix = new HeadPrefix();
  let at = 0;
  for (let i = 0; at < text.length; i += 1) {
    at += lengths[i % lengths.length] as number;
    if (!prefix.mayBecomeHead(Buffer.from(text.slice(0, at), 'latin1'))) return false;
  }
  return true;
}

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
const head = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'),
    target: fc.oneof(fc.constantFrom('*', 'http://h:1', 'HTTPS://h/x?y'), fc.stringMatching(/^\/[!-~]{0,30}$/)),
    minor: fc.constantFrom('0', '1'),
    fields: fc.array(
      fc.tuple(fc.stringMatching(/^x-[!#$%&'*+.^_`|~0-9A-Za-z-]{0,8}$/), fc.stringMatching(/^[ -~\t\xa0-\xff]{0,12}$/)),
    ),
  })
  .map(({ method, target, minor, fields }) =>
    [`${method} ${target} HTTP/1.${minor}`, ...fields.map(([name, value]) => `${name}:${value}`), '', ''].join('\r\n'),
  );

test('the beginning of a head may become one, whatever pieces it comes in', () => {
  fc.assert(
    fc.property(head, lengths, (text, pieces) => {
      expect(isHead(text)).toBe(true);
      expect(mayBecomeHead(text, pieces)).toBe(true);
    }),
  );
});

test('a head with a byte that may not stand there is refused at that byte, or is a head still', () => {
  fc.assert(
    fc.property(head, fc.nat(), fc.integer({ min: 0, max: 255 }), lengths, (text, place, byte, pieces) => {
      const at = place % (text.length - headEnd.length);
      const other = text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + 1);
      expect(mayBecomeHead(other, pieces)).toBe(isHead(other) || isHead(other.slice(0, other.indexOf(headEnd) + 4)));
    }),
    { numRuns: 2_000 },
  );
});

test('a tunnel without a target is refused like any other request without one', () => {
  expect(mayBecomeHead('CONNECT  HTTP/1.1\r\n\r\n', [1])).toBe(false);
  expect(isHead('CONNECT  HTTP/1.1\r\n\r\n')).toBe(false);
});

test('noise is refused within a few bytes', () => {
  const random = new SeededRandom('noise');
  for (let i = 0; i < 1_000; i += 1) {
    const noise = Buffer.alloc(16);
    random.bytes(noise);
    if (noise[0] === 0x0d) continue;
    expect(new HeadPrefix().mayBecomeHead(noise)).toBe(false);
  }
});
