import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import type { ProcessorEvent } from './events.ts';
import { makeEventSink } from './telemetry.ts';

const event: ProcessorEvent = { type: 'started', group: 'g', instance: 'i' };

test('an event goes to its channel and to the callback', () => {
  const heard: unknown[] = [];
  const listener = (message: unknown): void => {
    heard.push(message);
  };
  subscribe('tidemark:processor.started', listener);

  makeEventSink((each) => heard.push(each))(event);
  makeEventSink()({ type: 'paused' });

  unsubscribe('tidemark:processor.started', listener);
  expect(heard).toEqual([event, event]);
});

test('a callback that throws does not throw into the processor, and is not hushed up', async () => {
  const caught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const surfaced = new Promise<void>((resolve) => {
    process.once('uncaughtException', (error) => {
      caught.push(error);
      resolve();
    });
  });

  makeEventSink(() => {
    throw new Error('mine');
  })(event);
  await surfaced;

  for (const listener of before) process.on('uncaughtException', listener);
  expect(caught).toMatchObject([{ message: 'mine' }]);
});
