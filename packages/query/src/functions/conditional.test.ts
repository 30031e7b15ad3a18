import { expect, test } from 'vitest';
import { call } from '../../test/call-function.ts';

test('[query 3.3] IIF takes the second value for true and the third for all else', () => {
  expect(call('IIF', true, 1, 2)).toBe(1);
  for (const condition of [false, undefined, null, 1, 0, 'x', 'true', [true], {}]) {
    expect(call('IIF', condition, 1, 2)).toBe(2);
  }
});

test('[query 3.3] the value that is not taken does not matter, even when it is undefined', () => {
  expect(call('IIF', true, 1, undefined)).toBe(1);
  expect(call('IIF', false, undefined, 2)).toBe(2);
  expect(call('IIF', true, undefined, 2)).toBeUndefined();
});
