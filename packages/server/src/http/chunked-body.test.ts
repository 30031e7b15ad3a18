import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerBytesMax } from '../limits.ts';
import { ChunkedBody } from './chunked-body.ts';

interface Outcome {
  readonly body: string;
  /** What came behind the body. */
  readonly rest: string;
  readonly isOver: boolean;
}

/** Undefined when it is none. */
function readAll(pieces: readonly string[]): Outcome | undefined {
  const chunked = new ChunkedBody();
  let body = '';
  for (let i = 0; i < pieces.length; i += 1) {
    const bytes = Buffer.from(pieces[i] as string, 'latin1');
    const read = chunked.read(bytes, (data) => {
      body += data.toString('latin1');
    });
    if (read === undefined) return undefined;
    if (read.isOver) {
      const rest = bytes.toString('latin1', read.consumed) + pieces.slice(i + 1).join('');
      return { body, rest, isOver: true };
    }
    expect(read.consumed).toBe(bytes.length);
  }
  return { body, rest: '', isOver: false };
}

function cut(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => text.slice(from, [...places, text.length][i]));
}

describe('a body in chunks', () => {
  test('is read whatever pieces it comes in, and nothing of what follows', () => {
    const piece = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (chunks, at, hasMore) => {
        const extra = hasMore ? ';name="va l;ue";x;y=z' : '';
        const trailer = hasMore ? 'a: b\r\nc: d\r\n' : '';
        const text = chunks.map((chunk) => `${chunk.length.toString(16)}${extra}\r\n${chunk}\r\n`).join('');
        const outcome = readAll(cut(`${text}0${extra}\r\n${trailer}\r\nGET /`, at));
        expect(outcome).toEqual({ body: chunks.join(''), rest: 'GET /', isOver: true });
      }),
    );
  });

  test('may be written with capitals and zeros', () => {
    expect(readAll(['00A\r\n0123456789\r\n000\r\n\r\n'])).toEqual({ body: '0123456789', rest: '', isOver: true });
  });

  test.each([
    ['no size', '\r\n'],
    ['a size that is no number', 'zz\r\n'],
    ['a size with a sign', '-1\r\n'],
    ['a space before the size', ' 1\r\na\r\n'],
    ['a space behind the size', '1 \r\na\r\n'],
    ['a size that is too large', '100000000\r\n'],
    ['LF alone behind the size', '1\na\r\n'],
    ['LF alone behind the data', '1\r\na\n'],
    ['data that is longer than its size', '1\r\nab\r\n'],
    ['LF alone in an extension', '1;a\n\r\n'],
    ['LF alone in a trailer', '0\r\na: b\n\r\n'],
    ['CR without LF at the end', '0\r\n\rx'],
    ['a trailer without a name', '0\r\n: b\r\n\r\n'],
    ['a space in the name of a trailer', '0\r\na : b\r\n\r\n'],
    ['an extension without a name', '1;\r\na\r\n'],
    ['a space in an extension', '1; a\r\na\r\n'],
    ['an extension whose text is not closed', '1;a="\r\na\r\n'],
    ['an extension whose text has an escape', '1;a="\\""\r\na\r\n'],
    ['an extension that is no ASCII', '1;a="\xe9"\r\na\r\n'],
    ['something behind the text of an extension', '1;a="b"c\r\na\r\n'],
    ['a control in a trailer', '0\r\na: \0\r\n\r\n'],
    ['the end of the connection in a trailer', '0\r\nConnection: close\r\n\r\n'],
    ['a length in a trailer', '0\r\ncontent-length: 1\r\n\r\n'],
    ['another request in the place of its trailers', '0\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])('with %s is none', (_what, text) => {
    expect(readAll([text])).toBeUndefined();
    expect(readAll([...text])).toBeUndefined();
  });

  test('has bounds for what stands beside the data', () => {
    const long = 'x'.repeat(headerBytesMax + 1);
    expect(readAll([`1;${long}`])).toBeUndefined();
    expect(readAll([`0\r\na: ${long}`])).toBeUndefined();
    const many = Array.from({ length: headerBytesMax / 8 }, () => '1;1234567\r\na\r\n').join('');
    expect(readAll([many, many])).toBeUndefined();
  });
});
