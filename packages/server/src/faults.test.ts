import type { Database } from '@tidemark/engine';
import { parseResourcePath } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from './faults.ts';
import { Faults } from './faults.ts';
import { faultRulesMax } from './limits.ts';

const rule = (change: Partial<FaultRule> = {}): FaultRule => ({
  kind: '503',
  when: 'before',
  operations: [],
  probability: 1,
  seed: 1,
  retryAfterMs: 5,
  latencyMs: 0,
  ...change,
});

/** Only what faults ask of it. */
const database = {
  findDatabase: (id: string) => (id === 'shop' ? { rid: 'AAAA' } : undefined),
  findContainer: (_: string, id: string) => (id === 'orders' ? { rid: 'BBBB' } : undefined),
} as unknown as Database;

async function statuses(faults: Faults, operation: string, path: string, times: number): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  for (let i = 0; i < times; i += 1) {
    const parsed = parseResourcePath(path);
    if (parsed === undefined) throw new Error(`${path} is a path`);
    const strike = await faults.strike('before', operation, parsed, database);
    seen.push(strike === undefined ? 'on' : strike === 'reset' ? 'reset' : strike.status);
  }
  return seen;
}

const orders = '/dbs/shop/colls/orders/docs/1';

describe('[B8] faults', () => {
  test('the same seed and the same requests give the same faults; another seed gives others', async () => {
    const run = async (seed: number): Promise<string> => {
      const faults = new Faults(() => 0);
      faults.add(rule({ probability: 0.3, seed }));
      return (await statuses(faults, 'read', orders, 200)).join();
    };

    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
    const hits = (await run(7)).split(',').filter((status) => status === '503').length;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(90);
  });

  test('a rule strikes what it is about, by name and by rid, and nothing else', async () => {
    const faults = new Faults(() => 0);
    faults.add(rule({ operations: ['read', 'feed'], database: 'shop', container: 'orders' }));

    expect(await statuses(faults, 'read', orders, 1)).toEqual([503]);
    expect(await statuses(faults, 'feed', '/dbs/AAAA/colls/BBBB/docs', 1)).toEqual([503]);
    expect(await statuses(faults, 'create', orders, 1)).toEqual(['on']);
    expect(await statuses(faults, 'read', '/dbs/shop/colls/other/docs/1', 1)).toEqual(['on']);
    expect(await statuses(faults, 'read', '/dbs/other/colls/orders/docs/1', 1)).toEqual(['on']);
    expect(faults.list()).toMatchObject([{ requests: 2, hits: 2 }]);
  });

  test('a count ends it after so many hits, a duration after its time', async () => {
    let nowMs = 1_000;
    const faults = new Faults(() => nowMs);
    const counted = faults.add(rule({ kind: '429', count: 2 }));
    faults.add(rule({ kind: '410', durationMs: 500 }));

    expect(await statuses(faults, 'read', orders, 3)).toEqual([429, 429, 410]);
    expect(faults.find(counted.id)).toMatchObject({ isActive: false, hits: 2, remainingCount: 0 });
    expect(faults.list()[1]).toMatchObject({ isActive: true, remainingMs: 500 });
    nowMs += 500;
    expect(await statuses(faults, 'read', orders, 1)).toEqual(['on']);
    expect(faults.list()[1]).toMatchObject({ isActive: false, remainingMs: 0 });
  });

  test('a delay lets the next rule strike, and ends when the server closes', async () => {
    const faults = new Faults(() => 0);
    faults.add(rule({ kind: 'latency', latencyMs: 60_000 }));
    faults.add(rule({ kind: 'reset' }));
    const waiting = statuses(faults, 'read', orders, 1);
    await new Promise((resolve) => setImmediate(resolve));
    faults.close();

    expect(await waiting).toEqual(['reset']);
  });

  test('there is a limit to them, and those that have ended make room', async () => {
    const faults = new Faults(() => 0);
    faults.add(rule({ count: 1 }));
    for (let i = 1; i < faultRulesMax; i += 1) faults.add(rule({ operations: ['query'] }));

    expect(() => faults.add(rule())).toThrow(`${faultRulesMax} faults`);
    await statuses(faults, 'read', orders, 1);
    expect(faults.add(rule()).id).toBe(String(faultRulesMax + 1));
  });
});
