import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { Keys } from '../keys.ts';
import { authorizeAdmin } from './admin-authorize.ts';

const key = (n: number): string => Buffer.alloc(64, n).toString('base64');
const keys = new Keys({ primary: key(1), secondary: key(2), readOnlyPrimary: key(3) });

function codeOf(authorization: string | undefined, { verb = 'GET', isPrivate = true } = {}): string {
  const headers = authorization === undefined ? {} : { authorization };
  try {
    authorizeAdmin({ verb, segments: ['_tidemark', 'jobs'], headers, isPrivate }, { keys, nowMs: () => 0 });
    return 'allowed';
  } catch (error) {
    if (error instanceof DatabaseError) return error.code;
    throw error;
  }
}

test('[M18] who shows no key is told how to', () => {
  const request = { verb: 'GET', segments: ['_tidemark', 'metrics'], headers: {}, isPrivate: true };
  expect(() => authorizeAdmin(request, { keys, nowMs: () => 0 })).toThrow('Authorization: Bearer <key>');
});

describe('[M18] [SEC11] a bearer key', () => {
  test('is taken from whom nobody can overhear, and from nobody else', () => {
    expect(codeOf(`Bearer ${key(1)}`)).toBe('allowed');
    expect(codeOf(`bearer   ${key(2)} `, { verb: 'POST' })).toBe('allowed');
    expect(codeOf(`Bearer ${key(1)}`, { isPrivate: false })).toBe('unauthorized');
    expect(codeOf(`Bearer ${key(9)}`)).toBe('unauthorized');
    expect(codeOf('Bearer')).toBe('unauthorized');
    expect(codeOf(undefined)).toBe('unauthorized');
  });

  test('that may only read may only look', () => {
    expect(codeOf(`Bearer ${key(3)}`)).toBe('allowed');
    expect(codeOf(`Bearer ${key(3)}`, { verb: 'HEAD' })).toBe('allowed');
    expect(codeOf(`Bearer ${key(3)}`, { verb: 'POST' })).toBe('forbidden');
    expect(codeOf(`Bearer ${key(3)}`, { verb: 'DELETE' })).toBe('forbidden');
  });
});
