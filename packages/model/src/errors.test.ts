import { expect, test, vi } from 'vitest';
import {
  assert,
  DatabaseError,
  errorCodes,
  errorMeanings,
  InvariantError,
  isDatabaseError,
  unreachable,
} from './errors.ts';

test('every code has a meaning of one sentence', () => {
  expect(new Set(errorCodes).size).toBe(errorCodes.length);
  for (const code of errorCodes) expect(errorMeanings[code]).toMatch(/^[A-Z].*\.$/);
});

test('an error carries its code, detail, cause and delay', () => {
  const cause = new Error('below');
  const error = new DatabaseError('too-many-requests', 'Later.', { detail: { queue: 3 }, cause, retryAfterMs: 20 });

  expect(error).toMatchObject({
    name: 'DatabaseError',
    code: 'too-many-requests',
    message: 'Later.',
    retryAfterMs: 20,
  });
  expect(error.detail).toEqual({ queue: 3 });
  expect(error.cause).toBe(cause);
  expect(new DatabaseError('closed', 'Closed.')).not.toHaveProperty('cause');
});

test('only errors that a repetition can cure are retriable', () => {
  const retriable = errorCodes.filter((code) => new DatabaseError(code, '').isRetriable);

  expect(retriable.sort()).toEqual(['request-timeout', 'session-not-available', 'too-many-requests', 'unavailable']);
});

test('errors of another copy of the package are recognised, and nothing else is', async () => {
  vi.resetModules();
  const copy = await import('./errors.ts');
  const foreign = new copy.DatabaseError('conflict', 'Exists.');

  expect(foreign).not.toBeInstanceOf(DatabaseError);
  expect(isDatabaseError(foreign)).toBe(true);
  expect([new Error('x'), { code: 'conflict' }, null, undefined, 'conflict'].some(isDatabaseError)).toBe(false);
});

test('a broken invariant is not an operating error', () => {
  expect(() => assert(false, 'two is two')).toThrow(new InvariantError('two is two'));
  expect(() => assert(true, '')).not.toThrow();
  expect(() => unreachable('x' as never)).toThrow('not handled: x');
  expect(isDatabaseError(new InvariantError('x'))).toBe(false);
});
