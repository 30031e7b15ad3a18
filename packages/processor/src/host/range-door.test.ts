import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { someSettings } from '../../test/core/small-group.ts';
import type { ProcessorEvent } from '../events.ts';
import type { RangeContext } from '../observer.ts';
import { Health } from './health.ts';
import { RangeDoor } from './range-door.ts';

test('[I13] an `open` that takes long is told of while it runs, and no longer than it runs', async () => {
  const clock = new VirtualClock();
  const events: ProcessorEvent[] = [];
  const emit = (event: ProcessorEvent): void => void events.push(event);
  const health = new Health(emit);
  const { signal } = new AbortController();
  const settings = someSettings('a');
  const context: RangeContext = { leaseToken: '0', keys: { min: '', max: 'FF' }, epoch: 1, instance: 'a', signal };
  const door = new RangeDoor(
    {
      clock,
      health,
      emit,
      life: signal,
      settings: { ...settings, pump: { ...settings.pump, handlerWarnMs: 30_000 } },
      observer: { open: () => clock.sleep(40_000) },
    },
    context,
  );
  const problem = { problem: 'handler-slow', leaseToken: '0' };

  const opened = door.open();
  await clock.advance(29_999);
  expect(health.current).toEqual([]);
  await clock.advance(1);
  expect(health.current).toEqual([problem]);
  await clock.advance(10_000);
  await opened;

  expect(health.current).toEqual([]);
  expect(clock.sleeperCount).toBe(0);
});
