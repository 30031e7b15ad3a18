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

test('[I10] an observer that was opened hears of the end also when the host has no time left for it', async () => {
  const clock = new VirtualClock();
  const events: ProcessorEvent[] = [];
  const emit = (event: ProcessorEvent): void => void events.push(event);
  const life = new AbortController();
  const { signal } = new AbortController();
  const context: RangeContext = { leaseToken: '0', keys: { min: '', max: 'FF' }, epoch: 1, instance: 'a', signal };
  const closed: string[] = [];
  const door = new RangeDoor(
    {
      clock,
      health: new Health(emit),
      emit,
      life: life.signal,
      settings: someSettings('a'),
      observer: {
        close: async (_, reason) => {
          closed.push(reason);
          throw new Error('a failure that nobody waits for any more');
        },
      },
    },
    context,
  );
  await door.open();
  life.abort(new Error('The processor has stopped.'));

  const closing = door.close('shutdown', clock.monotonicMs() - 1);

  expect(closed).toEqual(['shutdown']);
  await closing;
  expect(closed).toEqual(['shutdown']);
  expect(events.map(({ type }) => type)).toEqual(['range.opened', 'health', 'range.closed']);
  expect(clock.sleeperCount).toBe(0);
});
