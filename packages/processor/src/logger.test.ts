import { VirtualClock } from '@tidemark/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { systemLogger } from './ambient.ts';
import type { ProcessorEvent } from './events.ts';
import type { LogFacts, Logger } from './logger.ts';
import { EventLog } from './logger.ts';

afterEach(() => vi.restoreAllMocks());

interface Said {
  readonly level: keyof Logger;
  readonly text: string;
  readonly facts: LogFacts;
}

function bench(): { said: Said[]; texts: () => string[]; clock: VirtualClock; log: EventLog } {
  const said: Said[] = [];
  const clock = new VirtualClock();
  const hear =
    (level: keyof Logger) =>
    (message: string, facts: LogFacts): void => {
      said.push({ level, text: message.replace('tidemark billing/a: ', ''), facts });
    };
  const logger: Logger = { info: hear('info'), warn: hear('warn'), error: hear('error') };
  const names = { group: 'billing', instance: 'a', source: 'shop/orders', leases: 'shop/leases' };
  const log = new EventLog({ logger, clock, ...names });
  return { said, texts: () => said.map(({ level, text }) => `${level} ${text}`), clock, log };
}

const at = { leaseToken: '0', epoch: 1 };
const tick = (owned: number, { leases = 1, hosts = 2, wanted = 0 } = {}): ProcessorEvent => ({
  type: 'tick',
  leases,
  owned,
  hosts,
  wanted,
});

test('a token is said as it is, whatever is in it', () => {
  const { log, texts } = bench();

  log.tell({ type: 'lease.acquired', from: 'free', leaseToken: "0$&$'", epoch: 1 });

  expect(texts()).toEqual(["info reads range 0$&$'"]);
});

test('a life has a line for each thing that matters, and none for what happens all the time', () => {
  const { log, texts } = bench();
  const error = new Error('the warehouse is down');

  const life: ProcessorEvent[] = [
    { type: 'started', group: 'billing', instance: 'a' },
    tick(0),
    tick(0),
    { type: 'lease.acquired', from: 'expired', ...at },
    tick(1),
    { type: 'range.opened', ...at },
    { type: 'batch.delivered', items: 1, durationMs: 1, ...at },
    { type: 'checkpoint', position: '1', ...at },
    { type: 'idle', position: '1', ...at },
    { type: 'lease.renewed', ...at },
    { type: 'batch.failed', items: 1, attempt: 1, error, ...at },
    {
      type: 'health',
      problem: 'handler-failing',
      leaseToken: '0',
      message: 'It fails.',
      error,
      documentId: '7',
    },
    { type: 'healthy', problem: 'handler-failing', leaseToken: '0' },
    { type: 'healthy', problem: 'feed-failing', leaseToken: '0', isLeft: true },
    { type: 'item.parked', id: '7', error, ...at },
    { type: 'item.refused', id: '7', error, ...at },
    { type: 'item.replayed', id: '7', ...at },
    { type: 'health', problem: 'halted', leaseToken: '0', message: 'It stands still.', error },
    { type: 'lease.released', reason: 'handed-over', to: 'b', ...at },
    tick(0),
    { type: 'lease.released', reason: 'shutdown', to: undefined, ...at },
    { type: 'stopped', group: 'billing', instance: 'a' },
  ];
  for (const event of life) log.tell(event);

  expect(texts()).toEqual([
    'info started: reads shop/orders, leases in shop/leases',
    'info standing by: the one range is with other hosts; this one takes over when one of them goes',
    'info takes over range 0: its host has given no sign of life',
    "warn handler-failing: It fails. (range 0) (batch from document '7')",
    'info recovered: handler-failing is over (range 0)',
    "warn parked document '7' of range 0: the warehouse is down",
    "warn document '7' of range 0 stays a dead letter, its replay failed: the warehouse is down",
    "info replayed document '7' of range 0: its dead letter is gone",
    'error halted: It stands still. (range 0)',
    'info hands range 0 over to b',
    'info standing by: the one range is with other hosts; this one takes over when one of them goes',
    'info stopped',
  ]);
});

test('a group without a name, as the older APIs have it, leaves no slash before the instance', () => {
  const texts: string[] = [];
  const hear = (text: string): number => texts.push(text);
  const names = { group: '', instance: 'a', source: 'shop/orders', leases: 'shop/leases' };
  const log = new EventLog({ logger: { info: hear, warn: hear, error: hear }, clock: new VirtualClock(), ...names });

  log.tell({ type: 'resumed' });

  expect(texts).toEqual(['tidemark a: resumed']);
});

test('a processor whose start has failed does not say that it has stopped', () => {
  const { log, texts } = bench();

  log.tell({ type: 'stopped', group: 'billing', instance: 'a' });

  expect(texts()).toEqual([]);
});

test('a host that waits for its share, or is alone, does not stand by', () => {
  const { log, texts } = bench();

  for (const event of [tick(0, { leases: 4, wanted: 2 }), tick(0, { hosts: 1 }), tick(0, { leases: 0 })])
    log.tell(event);

  expect(texts()).toEqual([]);
});

test('of many lines of one kind five are said in a minute, and then how many more there were', async () => {
  const { log, texts, clock } = bench();

  for (let n = 0; n < 1_000; n += 1) log.tell({ type: 'item.parked', id: `${n}`, error: 'no', ...at });
  const atOnce = texts().length;
  await clock.advance(60_000);
  log.tell(tick(1));
  log.tell({ type: 'item.parked', id: 'later', error: 'no', ...at });

  expect(atOnce).toBe(5);
  expect(texts().slice(5)).toEqual([
    'warn item.parked: 995 more like these in 60 s',
    "warn parked document 'later' of range 0: no",
  ]);
});

test('what a document or an error contains can neither break the line nor steer a terminal', () => {
  const { log, said } = bench();

  log.tell({ type: 'item.parked', id: 'a\nb', error: new Error(`\u001b[2J${'x'.repeat(5_000)}`), ...at });

  expect(said[0]?.text).toMatch(/^parked document 'a b' of range 0: {2}\[2Jx+…$/);
  expect(said[0]?.text.length).toBeLessThan(1_100);
  expect(said[0]?.facts).toMatchObject({ documentId: 'a\nb', event: 'item.parked', leaseToken: '0' });
});

test('[I13] without a logger lines go to standard error, below one about a handler where it threw', () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line).trimEnd()) > 0);
  const error = new TypeError("Cannot read properties of undefined (reading 'street')");
  const facts = { group: 'g', instance: 'i', event: 'health', error } as const;

  systemLogger.info('started', { group: 'g', instance: 'i', event: 'started' });
  systemLogger.warn('it fails', { ...facts, problem: 'handler-failing' });
  // Where a store has failed, the stack is of this package and says nothing to anybody.
  systemLogger.warn('the leases', { ...facts, problem: 'lease-store-failing' });

  expect(lines[0]).toBe('started');
  expect(lines[1]).toMatch(/^it fails\nTypeError: Cannot read[\s\S]*logger\.test\.ts:\d+/);
  expect(lines[2]).toBe('the leases');
});

test('an error that refuses to show its stack is told of all the same', () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line).trimEnd()) > 0);
  const error = new Error('mine');
  Object.defineProperty(error, 'stack', {
    get: () => {
      throw new Error('no');
    },
  });

  systemLogger.error('it stands still', { group: 'g', instance: 'i', event: 'health', problem: 'halted', error });

  expect(lines).toEqual(['it stands still']);
});
