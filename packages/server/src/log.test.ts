import { expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import { logWarningsPerSecondMax } from './limits.ts';
import type { LogLevel } from './log.ts';
import { openLog } from './log.ts';

const answer = (status: number) => ({ status, charge: 1, headers: [], body: undefined });

function exchangeOf(operation: string): Exchange {
  const exchange = new Exchange();
  exchange.operation = operation;
  return exchange;
}

async function logTo(level: LogLevel, clock = { nowMs: 0 }) {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) };
  return { lines, log: await openLog({ level, stream, slowMs: 100, nowMs: () => clock.nowMs }) };
}

test('of failures there are so many lines a second, and the next one says how many are missing', async () => {
  const clock = { nowMs: 5_000 };
  const { lines, log } = await logTo('info', clock);
  const fail = (): void => log.answered(exchangeOf('upsert'), answer(507), 1);
  for (let i = 0; i < logWarningsPerSecondMax + 30; i += 1) fail();
  clock.nowMs += 1_000;
  fail();
  fail();

  expect(lines).toHaveLength(logWarningsPerSecondMax + 2);
  expect(lines.at(-2)).toMatchObject({ msg: 'request failed', status: 507, omitted: 30 });
  expect(lines.at(-1)).not.toHaveProperty('omitted');
});

test('at level debug there is a line for each', async () => {
  const { lines, log } = await logTo('debug');
  for (let i = 0; i < 50; i += 1) log.answered(exchangeOf('upsert'), answer(507), 1);

  expect(lines).toHaveLength(50);
});

test('slow is what takes long without waiting on purpose; a health that is told and what is not built are no failures', async () => {
  const { lines, log } = await logTo('info');
  log.answered(exchangeOf('feed'), answer(304), 30_000);
  log.answered(exchangeOf('admin'), answer(503), 1);
  log.answered(exchangeOf('query'), answer(501), 1);
  log.answered(exchangeOf('read'), answer(200), 99);
  log.answered(exchangeOf('read'), answer(200), 100);
  log.answered(exchangeOf('admin'), answer(500), 1);

  expect(lines.map(({ msg }) => msg)).toEqual(['slow request', 'request failed']);
});

test('a silent log says nothing', async () => {
  const { lines, log } = await logTo('silent');
  log.answered(exchangeOf('read'), answer(500), 1);
  log.defect(new Error('x'), 'id');
  log.health('read-only', 'why');

  expect(lines).toEqual([]);
});

test('what is told before the log is loaded is written once it is', async () => {
  const { lines, log } = await logTo('warn');
  log.info('started');
  log.defect(new Error('x'), 'id');
  expect(lines).toEqual([]);

  await log.load();
  log.warn('later');

  expect(lines.map(({ msg }) => msg)).toEqual(['defect', 'later']);
});
