import { describe, expect, test } from 'vitest';
import {
  formatEtag,
  isSystemProperty,
  parseEtag,
  systemProperties,
  validateDocumentId,
  validateResourceName,
  validateTtl,
} from './document.ts';

describe('document ids', () => {
  test.each(['a', ' ', 'Test ', 'é😀', 'a+b=c&d,e%', 'a?b??', '.', '"', 'x'.repeat(1023), 'é'.repeat(511)])(
    '%j is one [wire 4]',
    (id) => {
      expect(validateDocumentId(id)).toBe(id);
    },
  );

  test.each([
    [undefined, 'missing'],
    [1, 'must be a string'],
    [null, 'must be a string'],
    ['', 'must not be empty'],
    ['a/b', "contains '/'"],
    ['a\\b', "contains '\\'"],
    ['#', "contains '#'"],
    ['\ud800', 'surrogate'],
    ['😀\udc00', 'surrogate'],
    ['x'.repeat(1024), '1024 bytes'],
    ['é'.repeat(512), '1024 bytes'],
  ])('%j is none: %s [wire 4]', (id, message) => {
    expect(() => validateDocumentId(id)).toThrow(message);
    expect(() => validateDocumentId(id)).toThrow(expect.objectContaining({ code: 'invalid-id' }));
  });
});

describe('names', () => {
  test('of databases and containers have 255 characters at most and do not end in a space [wire 4]', () => {
    expect(validateResourceName('a b', 'The database id')).toBe('a b');
    expect(validateResourceName('é'.repeat(255), 'The database id')).toHaveLength(255);
    expect(() => validateResourceName('x'.repeat(256), 'The database id')).toThrow(
      'The database id has 256 characters',
    );
    expect(() => validateResourceName('a ', 'The container id')).toThrow('The container id ends with a space.');
    for (const character of ['/', '\\', '?', '#']) {
      expect(() => validateResourceName(`a${character}b`, 'The container id')).toThrow(
        `The container id contains '${character}'; the characters / \\ ? # are not allowed.`,
      );
    }
  });
});

describe('a time to live', () => {
  test.each([undefined, -1, 1, 2_147_483_647])('may be %s [wire 6]', (ttl) => {
    expect(validateTtl(ttl, 'ttl')).toBe(ttl);
  });

  test.each([0, null, -10, -2, 1.5, 2_147_483_648, '5', true, Number.NaN])('may not be %s [wire 6]', (ttl) => {
    expect(() => validateTtl(ttl, "The document's ttl")).toThrow(expect.objectContaining({ code: 'invalid-ttl' }));
  });
});

describe('etags', () => {
  test('have the shape of a GUID', () => {
    expect(formatEtag(0xdeadbeef, 57, 3)).toBe('deadbeef-0003-0000-0000-000000000039');
    expect(formatEtag(0, Number.MAX_SAFE_INTEGER, 0x12345678)).toBe('00000000-5678-1234-001f-ffffffffffff');
  });

  test.each([
    '',
    '*',
    '"deadbeef-0003-0000-0000-000000000039"',
    'DEADBEEF-0003-0000-0000-000000000039',
    'deadbeef-0003-0000-ffff-000000000039',
  ])('of others are not parsed: %s', (etag) => {
    expect(parseEtag(etag)).toBeUndefined();
  });

  test('are made of whole numbers only', () => {
    expect(() => formatEtag(-1, 1, 1)).toThrow('unsigned');
    expect(() => formatEtag(1, 1.5, 1)).toThrow('whole number');
  });
});

test('system properties are the ones that are overwritten on every write [wire 7]', () => {
  expect(systemProperties.every(isSystemProperty)).toBe(true);
  expect(['id', 'ttl', '_x', 'constructor'].some(isSystemProperty)).toBe(false);
});
