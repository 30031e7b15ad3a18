import { expect, test } from 'vitest';
import type { FeedPage } from '../feed/feed-source.ts';
import { PollPace } from './poll-pace.ts';

const settings = { pollMs: 1000, pollMsMin: 50, waitMs: 0 };

function page(facts: Partial<FeedPage>): FeedPage {
  return {
    position: '"1"',
    items: [],
    isDrained: true,
    isWaitApplied: false,
    charge: 1,
    tailLsn: undefined,
    sessionToken: undefined,
    serverTimeMs: undefined,
    ...facts,
  };
}

test('an endpoint that does not wait is asked ever less often while there is nothing, and soon after there was', () => {
  const pace = new PollPace(settings, () => 0.5);
  const pauses = Array.from({ length: 7 }, () => pace.pauseAfter(page({}), 1, false));

  expect(pauses).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
  expect(pace.pauseAfter(page({ isDrained: false, items: [{ value: {} }] }), 1, true)).toBe(0);
  expect(pace.pauseAfter(page({}), 1, false)).toBe(50);
});

test('pauses are spread', () => {
  expect(new PollPace(settings, () => 0).pauseAfter(page({}), 1, false)).toBe(45);
  expect(new PollPace(settings, () => 1).pauseAfter(page({}), 1, false)).toBeCloseTo(55);
});

test('[F17] an endpoint that waits is asked again at once', () => {
  const pace = new PollPace({ ...settings, waitMs: 30_000 }, () => 0.5);

  expect(pace.pauseAfter(page({ isWaitApplied: true }), 30_000, false)).toBe(0);
});

test('[S54] one that says it waits and does not is polled: many that come back at once would not stop', () => {
  const pace = new PollPace({ ...settings, waitMs: 30_000 }, () => 0.5);

  expect(pace.pauseAfter(page({ isWaitApplied: true }), 1, false)).toBe(50);
  expect(pace.pauseAfter(page({ isWaitApplied: true }), 1, false)).toBe(100);
});

test('a page without changes that has not moved is no reason to hurry', () => {
  const pace = new PollPace(settings, () => 0.5);

  expect(pace.pauseAfter(page({ isDrained: false }), 1, true)).toBe(0);
  expect(pace.pauseAfter(page({ isDrained: false }), 1, false)).toBe(50);
});
