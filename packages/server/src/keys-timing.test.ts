// That what is compared in constant time stays so. The clock cannot show it in a test; who is called can.

import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { Keys } from './keys.ts';

const compared = vi.hoisted(() => ({ times: 0 }));
vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  const timingSafeEqual: typeof crypto.timingSafeEqual = (a, b) => {
    compared.times += 1;
    return crypto.timingSafeEqual(a, b);
  };
  return { ...crypto, timingSafeEqual };
});

const key = (byte: number): string => Buffer.alloc(64, byte).toString('base64');

test('[SEC5] signatures and bearer keys, right or wrong, are compared in constant time, each with all keys', () => {
  const keys = new Keys({ primary: key(1), secondary: key(2), readOnlyPrimary: key(3) });
  const sign = (byte: number): string =>
    createHmac('sha256', Buffer.from(key(byte), 'base64'))
      .update('text')
      .digest('base64');
  const count = (compare: () => unknown): number => {
    const before = compared.times;
    compare();
    return compared.times - before;
  };

  expect(count(() => keys.grantOf(sign(9), ['text']))).toBe(3);
  expect(count(() => keys.grantOf(sign(9).replace(/^./, '_'), ['text']))).toBe(3);
  expect(count(() => keys.rightsOfKey(key(1)))).toBe(3);
  expect(count(() => keys.rightsOfKey(key(9)))).toBe(3);
  expect(count(() => keys.rightsOfKey('short'))).toBe(3);
});
