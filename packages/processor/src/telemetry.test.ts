import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { systemEnvironment } from '@tidemark/client';
import { expect, test } from 'vitest';
import type { ProcessorEvent } from './events.ts';
import { EventLog } from './logger.ts';
import { makeEventSink } from './telemetry.ts';

const event: ProcessorEvent = { type: 'started', group: 'g', instance: 'i' };

test('an event goes to its channel, to the log and to the callback', () => {
  const heard: unknown[] = [];
  const listener = (message: unknown): void => {
    heard.push(message);
  };
  subscribe('tidemark:processor.started', listener);

  makeEventSink(
    logTo((message) => heard.push(message)),
    (each) => heard.push(each),
  )(event);
  makeEventSink(undefined)({ type: 'paused' });

  unsubscribe('tidemark:processor.started', listener);
  expect(heard).toEqual([event, 'tidemark g/i: started: reads shop/orders, leases in shop/leases', event]);
});

test('a callback or a logger that throws does not throw into the processor, and is not hushed up', async () => {
  const caught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const surfaced = new Promise<void>((resolve) => {
    process.on('uncaughtException', (error) => {
      caught.push(error);
      if (caught.length === 2) resolve();
    });
  });

  makeEventSink(
    logTo(() => {
      throw new Error('of the logger');
    }),
    () => {
      throw new Error('of the callback');
    },
  )(event);
  await surfaced;

  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
  expect(caught).toMatchObject([{ message: 'of the logger' }, { message: 'of the callback' }]);
});

function logTo(write: (message: string) => void): EventLog {
  return new EventLog({
    logger: { info: write, warn: write, error: write },
    clock: systemEnvironment().clock,
    group: 'g',
    instance: 'i',
    source: 'shop/orders',
    leases: 'shop/leases',
  });
}
