import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Keys, parseKeyFile, wellKnownKey } from './keys.ts';
import { headerBytesMax } from './limits.ts';

const key = (byte: number, bytes = 64): string => Buffer.alloc(bytes, byte).toString('base64');

function sign(text: string, of: string): string {
  return createHmac('sha256', Buffer.from(of, 'base64')).update(text).digest('base64');
}

test('[wire 3] signatures are HMAC-SHA-256, of keys and texts of any length', () => {
  for (const bytes of [32, 33, 63, 64, 65, 200]) {
    const keys = new Keys({ primary: key(7, bytes) });
    for (const text of ['', 'a', 'é€😀', 'x'.repeat(5_000), 'é'.repeat(30_000), 'y'.repeat(headerBytesMax)]) {
      const signature = sign(text, key(7, bytes));
      expect(keys.grantOf(signature, [text])?.rights).toBe('write');
      // From memory, the second time.
      expect(keys.grantOf(signature, ['other', text])?.rights).toBe('write');
      expect(keys.grantOf(sign(`${text}.`, key(7, bytes)), [text])).toBeUndefined();
    }
  }
  const tooLong = 'é'.repeat(headerBytesMax);
  expect(new Keys({ primary: key(7) }).grantOf(sign(tooLong, key(7)), [tooLong])).toBeUndefined();
});

test('[M18] each of the four keys counts, two of them for reading only', () => {
  const set = { primary: key(1), secondary: key(2), readOnlyPrimary: key(3), readOnlySecondary: key(4) };
  const keys = new Keys(set);
  const rights = [1, 2, 3, 4, 5].map((byte) => keys.grantOf(sign('text', key(byte)), ['text'])?.rights);
  expect(rights).toEqual(['write', 'write', 'read', 'read', undefined]);
  expect([1, 2, 3, 4, 5].map((byte) => keys.rightsOfKey(key(byte)))).toEqual(rights);
  expect(keys.rightsOfKey('')).toBeUndefined();
});

test('[M18] keys that are set anew count from then on, and bad ones change nothing', () => {
  const keys = new Keys({ primary: key(1), secondary: key(2) });
  expect(keys.grantOf(sign('text', key(1)), ['text'])?.rights).toBe('write');
  keys.set({ primary: key(2), secondary: key(3) });
  expect([1, 2, 3].map((byte) => keys.grantOf(sign('text', key(byte)), ['text'])?.rights)).toEqual([
    undefined,
    'write',
    'write',
  ]);
  expect(() => keys.set({ primary: 'short' })).toThrow('primary');
  expect(keys.grantOf(sign('text', key(3)), ['text'])?.rights).toBe('write');
});

test('[M18] a grant ends with its key, and with no other', () => {
  const keys = new Keys({ primary: key(1), secondary: key(2) });
  const [first, second] = [1, 2].map((byte) => keys.grantOf(sign('text', key(byte)), ['text']));
  if (first === undefined || second === undefined) throw new Error('both are keys');
  keys.set({ primary: key(3), secondary: key(1) });
  expect([keys.isCurrent(first), keys.isCurrent(second)]).toEqual([true, false]);
  keys.set({ primary: key(3), readOnlyPrimary: key(1) });
  expect(keys.isCurrent(first)).toBe(false);
});

test('knows whether one of them is known to everybody', () => {
  expect(new Keys({ primary: wellKnownKey }).hasWellKnown).toBe(true);
  expect(new Keys({ primary: key(1), readOnlySecondary: wellKnownKey }).hasWellKnown).toBe(true);
  expect(new Keys({ primary: key(1) }).hasWellKnown).toBe(false);
});

test('[M18] [SEC9] a key file is read strictly, and no message shows a key', () => {
  const good = { primary: key(1), secondary: key(2), readOnlyPrimary: key(3) };
  expect(parseKeyFile(JSON.stringify(good))).toEqual(good);
  const secret = 'c2VjcmV0LXNlY3JldA==';
  const bad: readonly (readonly [unknown, string])[] = [
    [`{"primary": "${secret}`, 'not valid JSON'],
    [[good.primary], 'JSON object'],
    [{}, 'no primary key'],
    [{ secondary: key(1) }, 'no primary key'],
    [{ primary: secret }, 'primary key must be at least 32 bytes'],
    [{ primary: `${key(1)}!${secret}` }, 'base64'],
    [{ primary: key(1).replace(/=+$/, '') }, 'base64'],
    [{ primary: key(1), secondary: 7 }, 'secondary'],
    [{ primary: key(1), secondry: secret }, '"secondry"'],
    [{ primary: key(1), readOnlyPrimary: key(1) }, 'the same'],
  ];
  for (const [value, message] of bad) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    try {
      parseKeyFile(text);
      expect.unreachable(text);
    } catch (error) {
      expect(String(error), text).toContain(message);
      expect(String(error)).not.toContain(secret);
      expect(String(error)).not.toContain(key(1));
    }
  }
});
