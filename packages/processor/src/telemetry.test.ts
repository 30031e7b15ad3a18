import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { systemWarning } from './ambient.ts';
import type { ProcessorEvent } from './events.ts';
import { makeEventSink } from './telemetry.ts';

const event: ProcessorEvent = { type: 'started', group: 'g', instance: 'i' };

test('an event goes to its channel and to the callback', () => {
  const heard: unknown[] = [];
  const listener = (message: unknown): void => {
    heard.push(message);
  };
  subscribe('tidemark:processor.started', listener);

  makeEventSink(systemWarning, 'g', (each) => heard.push(each))(event);
  makeEventSink(systemWarning, 'g')({ type: 'paused' });

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

  makeEventSink(systemWarning, 'g', () => {
    throw new Error('mine');
  })(event);
  await surfaced;

  for (const listener of before) process.on('uncaughtException', listener);
  expect(caught).toMatchObject([{ message: 'mine' }]);
});

test('[I13] a problem is said as a warning of the process when nobody listens, and only then', async () => {
  const warnings: (Error & { code?: string })[] = [];
  const hear = (warning: Error): void => {
    warnings.push(warning);
  };
  const deaf = (): void => {};
  const problem = (message: string): ProcessorEvent => ({
    type: 'health',
    problem: 'handler-failing',
    leaseToken: '0',
    message,
    error: undefined,
  });
  process.on('warning', hear);

  subscribe('tidemark:processor.health', deaf);
  makeEventSink(systemWarning, 'g')(problem('on the channel'));
  unsubscribe('tidemark:processor.health', deaf);
  makeEventSink(systemWarning, 'g', deaf)(problem('to the callback'));
  makeEventSink(systemWarning, 'g')(problem('to nobody'));
  // Warnings are told in the order in which they were made, on a later turn.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

  process.off('warning', hear);
  expect(warnings).toMatchObject([
    { name: 'ProcessorWarning', code: 'handler-failing', message: "to nobody (group 'g', range 0)" },
  ]);
});

test('[I13] a warning about a handler shows where it threw, and the document that it was given first', async () => {
  const error = new TypeError("Cannot read properties of undefined (reading 'street')");
  const failing = { type: 'health', problem: 'handler-failing', leaseToken: '5', message: 'It fails.', error } as const;

  const warnings = await warningsOf(() => {
    const sink = makeEventSink(systemWarning, 'g');
    sink({ ...failing, documentId: 'customer-7' });
    sink({ ...failing, problem: 'lease-store-failing' });
    sink({ ...failing, error: 'no error at all' });
    sink({ ...failing, error: undefined });
  });

  expect(warnings[0]).toMatchObject({
    name: 'ProcessorWarning',
    code: 'handler-failing',
    message: "It fails. (group 'g', range 5, batch from document 'customer-7')",
    cause: error,
    detail: error.stack,
  });
  expect(warnings[0]?.detail).toMatch(/telemetry\.test\.ts:\d+/);
  // Where a store has failed, the stack is of this package and says nothing to anybody.
  expect(warnings.slice(1).map(({ detail }) => detail)).toEqual([undefined, undefined, undefined]);
  expect(warnings.slice(1).map(({ cause }) => cause)).toEqual([error, 'no error at all', undefined]);
  expect(warnings[3]).not.toHaveProperty('cause');
});

test('an error that refuses to show its stack is told of all the same', async () => {
  const error = new Error('mine');
  Object.defineProperty(error, 'stack', {
    get: () => {
      throw new Error('no');
    },
  });

  const warnings = await warningsOf(() => {
    makeEventSink(
      systemWarning,
      'g',
    )({
      type: 'health',
      problem: 'halted',
      leaseToken: undefined,
      message: 'It stands still.',
      error,
    });
  });

  expect(warnings).toMatchObject([{ message: "It stands still. (group 'g')", cause: error }]);
  expect(warnings[0]).not.toHaveProperty('detail');
});

type Warning = Error & { readonly code?: string; readonly detail?: string };

async function warningsOf(act: () => void): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const hear = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on('warning', hear);
  act();
  // Warnings are told in the order in which they were made, on a later turn.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  process.off('warning', hear);
  return warnings;
}
