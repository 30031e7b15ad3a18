import { expect, test } from 'vitest';
import type { Window } from './soak-windows.ts';
import { percentilesOf, trendOf } from './soak-windows.ts';

const nothing = { p50: 0, p99: 0, max: 0 };

function windowsOf(...anonymousMiB: readonly number[]): Window[] {
  const rest = { writesPerSecond: 0, readsPerSecond: 0, writeMs: nothing, readMs: nothing, heapMiB: 0, loopDelayMs: 0 };
  return anonymousMiB.map((value, atSeconds) => ({ atSeconds, anonymousMiB: value, ...rest }));
}

const trend = (...values: readonly number[]): number =>
  trendOf(windowsOf(...values), ({ anonymousMiB }) => anonymousMiB);

test('a line that rises only while it warms up is flat, and so is one with a single peak', () => {
  expect(trend(10, 50, 90, 100, 100, 100, 100, 100, 100, 100, 100, 100)).toBe(1);
  expect(trend(100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 900, 100)).toBe(1);
});

test('a leak is not flat, however slow', () => {
  expect(trend(...Array.from({ length: 60 }, (_, n) => 100 + n))).toBeGreaterThan(1.2);
});

test('percentiles are values that were measured', () => {
  const durations = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(percentilesOf(durations)).toEqual({ p50: 51, p99: 100, max: 100 });
  expect(percentilesOf([])).toEqual({ p50: 0, p99: 0, max: 0 });
});
