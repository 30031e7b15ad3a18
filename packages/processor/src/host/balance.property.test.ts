import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BalanceHost, BalanceLease } from './balance.ts';
import { balanceEvenly } from './balance.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function host(name: string, changes: Partial<BalanceHost> = {}): BalanceHost {
  return { name, capacity: 1, rangesMin: 0, rangesMax: 0, avoided: new Set(), ...changes };
}

function lease(number: number, owner: string | undefined): BalanceLease {
  return { id: `lease-${number}`, token: String(number), owner };
}

const group: fc.Arbitrary<{ leases: BalanceLease[]; hosts: BalanceHost[] }> = fc
  .record({
    hosts: fc.integer({ min: 1, max: 7 }),
    owners: fc.array(fc.integer({ min: -1, max: 6 }), { maxLength: 60 }),
  })
  .map(({ hosts, owners }) => ({
    hosts: names.slice(0, hosts).map((name) => host(name)),
    leases: owners.map((owner, i) => lease(i, owner < 0 || owner >= hosts ? undefined : names[owner])),
  }));

function countOf(assigned: ReadonlyMap<string, string>, name: string): number {
  return [...assigned.values()].filter((owner) => owner === name).length;
}

describe('the balance', () => {
  test('[F7] every lease has a host, and no two hosts differ by more than one', () => {
    fc.assert(
      fc.property(group, ({ leases, hosts }) => {
        const assigned = balanceEvenly(leases, hosts, 'a');

        const counts = hosts.map(({ name }) => countOf(assigned, name));
        expect(assigned.size).toBe(leases.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('[F7] it moves no more than it must: a host keeps what it has up to its share', () => {
    fc.assert(
      fc.property(group, ({ leases, hosts }) => {
        const assigned = balanceEvenly(leases, hosts, 'a');

        const most = Math.ceil(leases.length / hosts.length);
        const least = Math.floor(leases.length / hosts.length);
        for (const { name } of hosts) {
          const held = leases.filter(({ owner }) => owner === name);
          const kept = held.filter(({ id }) => assigned.get(id) === name).length;
          expect(kept).toBeGreaterThanOrEqual(Math.min(held.length, least));
          expect(kept).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  test('[I9] what it decided is decided: the second time nothing moves', () => {
    fc.assert(
      fc.property(group, ({ leases, hosts }) => {
        const assigned = balanceEvenly(leases, hosts, 'a');
        const settled = leases.map((each) => ({ ...each, owner: assigned.get(each.id) }));

        expect(balanceEvenly(settled, hosts, 'b')).toEqual(assigned);
      }),
    );
  });

  test('every host decides the same, in whatever order it sees things', () => {
    fc.assert(
      fc.property(group, fc.integer(), ({ leases, hosts }, seed) => {
        const turned = [...leases].sort((x, y) => ((x.id.length * seed) % 7) - ((y.id.length * seed) % 7) || 1);

        const assigned = balanceEvenly(turned, [...hosts].reverse(), 'z');

        expect(new Map([...assigned].sort())).toEqual(new Map([...balanceEvenly(leases, hosts, 'a')].sort()));
      }),
    );
  });

  test('a host with twice the capacity gets twice as much', () => {
    const leases = Array.from({ length: 30 }, (_, i) => lease(i, undefined));

    const assigned = balanceEvenly(leases, [host('a', { capacity: 2 }), host('b')], 'a');

    expect([countOf(assigned, 'a'), countOf(assigned, 'b')]).toEqual([20, 10]);
  });

  test('least and most are respected, and a lease beyond every most stays free', () => {
    const leases = Array.from({ length: 10 }, (_, i) => lease(i, undefined));

    const few = balanceEvenly(leases, [host('a', { rangesMax: 3 }), host('b', { rangesMax: 4 })], 'a');
    const least = balanceEvenly(leases, [host('a', { capacity: 9 }), host('b', { rangesMin: 4 })], 'a');

    expect([countOf(few, 'a'), countOf(few, 'b'), few.size]).toEqual([3, 4, 7]);
    expect(countOf(least, 'b')).toBe(4);
  });

  test('a range that failed on a host goes to another, also when that one has its share', () => {
    const leases = [lease(0, 'a'), lease(1, 'b')];

    const assigned = balanceEvenly(leases, [host('a', { avoided: new Set(['0']) }), host('b')], 'a');

    expect(assigned.get('lease-0')).toBe('b');
  });

  test('a host that leaves gets nothing', () => {
    const leases = [lease(0, 'a'), lease(1, 'a')];

    const assigned = balanceEvenly(leases, [host('a', { capacity: 0 }), host('b')], 'a');

    expect([...assigned.values()]).toEqual(['b', 'b']);
  });
});
