import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerFieldsMax } from '../limits.ts';
import type { Head } from './head.ts';
import { parseHead } from './head.ts';

function parse(...lines: string[]): Head | undefined {
  const head = parseHead(lines.map((line) => `${line}\r\n`).join(''));
  if (head === 'too many fields') throw new Error(head);
  return head;
}

describe('a head', () => {
  test('becomes method, target and headers', () => {
    expect(
      parse('POST /dbs/a%20b?x HTTP/1.1', 'Host: a:1', 'X-MS-Date:  Mon \t', 'empty:', 'content-length: 12', 'a: b:c'),
    ).toEqual({
      method: 'POST',
      url: '/dbs/a%20b?x',
      minorVersion: 1,
      headers: { host: 'a:1', 'x-ms-date': 'Mon', empty: '', 'content-length': '12', a: 'b:c' },
      bodyBytes: 12,
    });
    expect(parse('GET / HTTP/1.0')).toMatchObject({ minorVersion: 0, headers: {}, bodyBytes: 0 });
  });

  test.each(['/', '//x', '/a?b?c', '*', 'http://h/x', 'HTTPS://h:1?x', 'http://[::1]'])('may ask for %s', (url) => {
    expect(parse(`OPTIONS ${url} HTTP/1.1`)).toMatchObject({ url });
  });

  test('that names a header twice has it joined, or the first of the two', () => {
    const head = parse(
      'GET / HTTP/1.1',
      'prefer: a',
      'Prefer: b',
      'cookie: x=1',
      'cookie: y=2',
      'authorization: 1',
      'authorization: 2',
      'etag: 1',
      'etag: 2',
    );
    expect(head?.headers).toEqual({ prefer: 'a, b', cookie: 'x=1; y=2', authorization: '1', etag: '1' });
  });

  test('may name what JavaScript has names for', () => {
    const headers = parse('GET / HTTP/1.1', '__proto__: a', 'constructor: b', 'toString: c')?.headers;
    expect(Object.entries(headers ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['tostring', 'c'],
    ]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    expect(parse('GET / HTTP/1.1')?.headers['constructor']).toBeUndefined();
  });

  test('has a body in chunks when it says so, and only then', () => {
    expect(parse('POST / HTTP/1.1', 'transfer-encoding: Chunked')?.bodyBytes).toBe('chunked');
    expect(parse('POST / HTTP/1.1')?.bodyBytes).toBe(0);
  });

  test.each([
    ['no method', ' / HTTP/1.1'],
    ['a method that nobody has heard of', 'FOO / HTTP/1.1'],
    ['a method in lower case', 'get / HTTP/1.1'],
    ['the rest of a body before its method', 'xPATCH / HTTP/1.1'],
    ['a target that is no path', 'GET dbs HTTP/1.1'],
    ['a target that only begins like a URL', 'GET http:x HTTP/1.1'],
    ['a target that begins with a question', 'GET ?x HTTP/1.1'],
    ['no target', 'GET  HTTP/1.1'],
    ['no target of a tunnel', 'CONNECT  HTTP/1.1'],
    ['two spaces', 'GET  / HTTP/1.1'],
    ['no version', 'GET /'],
    ['another version', 'GET / HTTP/1.2'],
    ['another protocol', 'GET / HTTP/2.0'],
    ['something behind the version', 'GET / HTTP/1.1 '],
    ['a target that is no ASCII', 'GET /\xfc HTTP/1.1'],
    ['a control in the target', 'GET /\x01 HTTP/1.1'],
    ['a method that is no token', 'G(T / HTTP/1.1'],
    ['a line without a colon', 'GET / HTTP/1.1', 'none'],
    ['a name that is empty', 'GET / HTTP/1.1', ': a'],
    ['a space before the colon', 'GET / HTTP/1.1', 'a : b'],
    ['a value that goes on in the next line', 'GET / HTTP/1.1', 'a: b', ' c'],
    ['a line that ends with LF alone', 'GET / HTTP/1.1', 'a: b\nc: d'],
    ['a line that ends with CR alone', 'GET / HTTP/1.1', 'a: b\rc: d'],
    ['a NUL', 'GET / HTTP/1.1', 'a: \0'],
    ['two hosts', 'GET / HTTP/1.1', 'host: a', 'host: a'],
    ['two lengths that agree', 'POST / HTTP/1.1', 'content-length: 1', 'content-length: 1'],
    ['a tab behind the length', 'POST / HTTP/1.1', 'content-length: 1\t'],
    ['a tab before the encoding', 'POST / HTTP/1.1', 'transfer-encoding:\tchunked'],
    ['a list of lengths', 'POST / HTTP/1.1', 'content-length: 1, 1'],
    ['a length with a sign', 'POST / HTTP/1.1', 'content-length: +1'],
    ['a length in hex', 'POST / HTTP/1.1', 'content-length: 0x1'],
    ['a length that no number holds', 'POST / HTTP/1.1', 'content-length: 99999999999999999999'],
    ['an empty length', 'POST / HTTP/1.1', 'content-length:'],
    ['a length and chunks', 'POST / HTTP/1.1', 'content-length: 1', 'transfer-encoding: chunked'],
    ['an encoding beside chunks', 'POST / HTTP/1.1', 'transfer-encoding: gzip, chunked'],
    ['chunks said twice', 'POST / HTTP/1.1', 'transfer-encoding: chunked', 'transfer-encoding: chunked'],
    ['an encoding that is not chunks', 'POST / HTTP/1.1', 'transfer-encoding: identity'],
    ['chunks in HTTP/1.0', 'POST / HTTP/1.0', 'transfer-encoding: chunked'],
  ])('with %s is none', (_what, ...lines) => {
    expect(parse(...lines)).toBeUndefined();
  });

  test('has a bound for its headers', () => {
    const fields = Array.from({ length: headerFieldsMax }, (_, i) => `x-${i}: ${i}`);
    expect(Object.keys(parse('GET / HTTP/1.1', ...fields)?.headers ?? {})).toHaveLength(headerFieldsMax);
    expect(() => parse('GET / HTTP/1.1', ...fields, 'one: more')).toThrow('too many fields');
  });

  test('of any bytes is parsed or is none; nothing is thrown', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1'));
    const pieces = fc.array(
      fc.constantFrom('GET', ' ', '/', 'HTTP/1.1', '\r\n', '\n', '\r', ':', 'a', '\t', 'content-length', '1'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          pieces.map((array) => array.join('')),
        ),
        (text) => {
          const head = parseHead(text);
          if (head !== undefined && head !== 'too many fields')
            expect(text.startsWith(`${head.method} ${head.url} HTTP/1.`)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('that was written down is read as it was', () => {
    const name = fc.stringMatching(/^x-[a-z0-9-]{1,12}$/);
    const value = fc.stringMatching(/^(?:[!-~](?:[ -~]{0,20}[!-~])?)?$/);
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.stringMatching(/^\/[!-~]{0,30}$/), (headers, url) => {
        const lines = Object.entries(headers).map(([key, text]) => `${key.toUpperCase()}:${text}`);
        expect(parse(`GET ${url} HTTP/1.1`, ...lines)).toMatchObject({ url, headers: { ...headers } });
      }),
    );
  });
});
