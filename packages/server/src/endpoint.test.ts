import { describe, expect, test } from 'vitest';
import { endpointOf, readPublicUrl } from './endpoint.ts';

const of = (host: string | undefined, isSecure = false): string =>
  endpointOf({ headers: host === undefined ? {} : { host }, isSecure });

describe('[wire 17.16] the endpoint is the one that the client used', () => {
  test.each([
    'localhost:8081',
    'localhost',
    '127.0.0.1:443',
    '[::1]:8081',
    '[fe80::1]',
    'my_service.example.com:1',
    'DB:65535',
  ])('%s', (host) => {
    expect(of(host)).toBe(`http://${host}/`);
    expect(of(host, true)).toBe(`https://${host}/`);
  });

  test('a client of HTTP/1.0 need not say', () => {
    expect(of(undefined)).toBe('http://localhost/');
  });
});

describe('a host that is none is refused', () => {
  test.each([
    '',
    'a b',
    'user@evil.example',
    'evil.example/path',
    'evil.example?x',
    'evil.example#x',
    'a"b',
    "a'b",
    '<script>',
    'a\\b',
    'a:b',
    'a:0',
    'a:65536',
    'a:123456',
    'a:1:2',
    '[::1',
    '::1',
    '[nonsense]',
    '[::1]x',
    '[1.2.3.4]',
    'ä.example',
    'a,b',
    'a\r\nx',
    'x'.repeat(254),
  ])('%j', (host) => {
    expect(() => of(host)).toThrow('The header Host');
    expect(() => readPublicUrl(`https://${host}/`)).toThrow('The public URL');
  });
});

test('a public URL has a scheme and a host, and no path', () => {
  expect(readPublicUrl('https://db.example:443')).toBe('https://db.example:443/');
  expect(readPublicUrl('http://db.example/')).toBe('http://db.example/');
  for (const text of ['db.example', 'ftp://db.example/', 'https://db.example/path', 'https://']) {
    expect(() => readPublicUrl(text), text).toThrow('The public URL');
  }
});
