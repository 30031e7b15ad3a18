import { expect, test } from 'vitest';
import { lagText } from './lag.ts';

const lag = {
  group: 'billing',
  source: 'db/orders',
  mode: 'latest',
  items: 3,
  isAtLeast: false,
  seconds: 7,
  ranges: [
    {
      leaseToken: '0',
      owner: 'host-1',
      position: '"4"',
      writtenAt: undefined,
      items: 3,
      isAtLeast: false,
      seconds: 7,
      reason: undefined,
    },
  ],
} as const;

function host(instance: string, isAlive: boolean, quietSeconds: number, ranges = 1) {
  return { instance, capacity: 1, startedAt: undefined, ranges, quietSeconds, isAlive };
}

test('[B6] an owner that gives no sign of life is told of', () => {
  const text = lagText(lag, [host('host-1', false, 95), host('host-2', true, 1), host('host-3', false, 80, 0)]);

  expect(text).toContain('\n! host-1 has given no sign of life for 95 seconds: its ranges wait for another host.\n');
  expect(text).not.toContain('host-2');
  expect(text).not.toContain('host-3');
});

test('a range that is called by its keys, as after a merge, does not look like a flag', () => {
  const merged = { ...lag, ranges: [{ ...lag.ranges[0], leaseToken: '-05C1E0' }] };

  expect(lagText(merged, [])).toMatch(/^keys -05C1E0 +host-1 /m);
});

test('[B6] whoever works is not', () => {
  expect(lagText(lag, [host('host-1', true, 3)])).not.toContain('!');
  expect(lagText(lag, [])).toMatch(/\n! No host of the group is running\.\n$/);
});
