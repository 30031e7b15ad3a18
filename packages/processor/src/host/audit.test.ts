import { describe, expect, test } from 'vitest';
import type { Lease } from '../lease/lease.ts';
import {
  auditCoverage,
  HoleCounter,
  missingLeases,
  positionForHole,
  resolveKeys,
  slicesOfHole,
  yieldsTo,
} from './audit.ts';
import { succession } from './split.ts';

function lease(token: string, min?: string, max = 'FF'): Lease {
  const stored = { id: token, etag: '', key: token, body: {} };
  return {
    id: token,
    token,
    kind: 'physical',
    keys: min === undefined ? undefined : { min, max },
    owner: undefined,
    position: undefined,
    mode: 'latest',
    timestamp: undefined,
    mark: undefined,
    properties: {},
    isTombstone: false,
    stored,
  };
}

const ranges = [
  { id: '1', min: '', max: '40', parents: ['0'] },
  { id: '2', min: '40', max: 'FF', parents: ['0'] },
];

describe('the audit', () => {
  test('[F8] [D5] holes at the beginning, in the middle and at the end are seen', () => {
    const { holes, overlaps } = auditCoverage([lease('a', '10', '20'), lease('b', '30', '40')]);

    expect(holes).toEqual([
      { min: '', max: '10' },
      { min: '20', max: '30' },
      { min: '40', max: 'FF' },
    ]);
    expect(overlaps).toEqual([]);
  });

  test('[I6] leases that tile the space have neither hole nor overlap; those that do not are named', () => {
    expect(auditCoverage([lease('a', '', '40'), lease('b', '40')])).toEqual({ holes: [], overlaps: [] });
    expect(auditCoverage([lease('a', '', '50'), lease('b', '40')]).overlaps).toEqual([['a', 'b']]);
    expect(auditCoverage([]).holes).toEqual([{ min: '', max: 'FF' }]);
  });

  test('a hole is filled by physical ranges where it is one, and cut at their bounds', () => {
    expect(missingLeases([{ min: '', max: 'FF' }], ranges).map(({ token }) => token)).toEqual(['1', '2']);
    expect(missingLeases([{ min: '20', max: '60' }], ranges).map(({ token }) => token)).toEqual(['20-40', '40-60']);
  });

  test('[S32] the narrowest note that contains the hole is its position, of equal ones the later', () => {
    const notes = [
      { keys: { min: '', max: 'FF' }, position: 'old' },
      { keys: { min: '', max: '40' }, position: 'new' },
      { keys: { min: '40', max: 'FF' }, position: 'other' },
    ];

    expect(positionForHole({ min: '', max: '20' }, notes)?.position).toBe('new');
    expect(positionForHole({ min: '30', max: '50' }, notes)?.position).toBe('old');
    const same = ['"9"', '"10"', '"8"'].map((position) => ({ keys: { min: '', max: 'FF' }, position }));
    expect(positionForHole({ min: '', max: 'FF' }, same)?.position).toBe('"10"');
  });

  test('[S32] a hole is cut where notes of positions end, also when ranges were split and merged meanwhile', () => {
    const note = (min: string, max: string) => ({ keys: { min, max }, position: `${min}-${max}` });
    const slices = (hole: { min: string; max: string }, ...notes: ReturnType<typeof note>[]) =>
      slicesOfHole(hole, notes).map(({ keys, note: found }) => [keys.min, keys.max, found?.position]);

    expect(slices({ min: '20', max: '60' }, note('10', '40'), note('40', '60'))).toEqual([
      ['20', '40', '10-40'],
      ['40', '60', '40-60'],
    ]);
    expect(slices({ min: '20', max: '60' }, note('10', '40'), note('20', '30'))).toEqual([
      ['20', '30', '20-30'],
      ['30', '40', '10-40'],
      ['40', '60', undefined],
    ]);
    expect(slices({ min: '20', max: '60' }, note('', 'FF'))).toEqual([['20', '60', '-FF']]);
    expect(slices({ min: '20', max: '60' })).toEqual([['20', '60', undefined]]);
  });

  test('a hole counts only when it was seen in looks one after the other, for long enough', () => {
    const counter = new HoleCounter();
    const hole = { min: '', max: '10' };

    expect(counter.count([hole], 3, 0, 0)).toEqual([]);
    expect(counter.count([hole], 3, 0, 1)).toEqual([]);
    expect(counter.count([], 3, 0, 2)).toEqual([]);
    counter.count([hole], 3, 0, 3);
    counter.count([hole], 3, 0, 4);
    expect(counter.count([hole], 3, 0, 5)).toEqual([hole]);
    expect(counter.count([hole], 3, 4, 6)).toEqual([]);
    expect(counter.count([hole], 3, 4, 7)).toEqual([hole]);

    // Covered for a moment in which nobody counted, or mended.
    counter.keep([]);
    expect(counter.count([hole], 1, 1, 8)).toEqual([]);
    counter.forget([hole]);
    expect(counter.count([hole], 1, 1, 9)).toEqual([]);
  });

  test('[D15] a lease without keys gets those of its range, of the ranges that came of it, or of the only hole', () => {
    const keysOf = (...leases: Lease[]) => resolveKeys(leases, ranges).map(({ keys }) => keys);

    expect(keysOf(lease('1'), lease('2'))).toEqual([
      { min: '', max: '40' },
      { min: '40', max: 'FF' },
    ]);
    expect(keysOf(lease('0'))).toEqual([{ min: '', max: 'FF' }]);
    expect(keysOf(lease('1'), lease('7'))).toEqual([
      { min: '', max: '40' },
      { min: '40', max: 'FF' },
    ]);
    expect(keysOf(lease('7'), lease('8'))).toEqual([undefined, undefined]);
  });

  test('[D15] [S20] two leases whose ranges were merged claim the same keys: neither gets them', () => {
    const merged = [{ id: '5', min: '', max: 'FF', parents: ['3', '4'] }];

    expect(resolveKeys([lease('3'), lease('4')], merged).map(({ keys }) => keys)).toEqual([undefined, undefined]);
  });
});

describe('leases that share keys', () => {
  const bounds = [
    { min: '', max: '40' },
    { min: '40', max: '80' },
    { min: '', max: '80' },
  ];
  const all = bounds.flatMap((keys) =>
    (['physical', 'keys'] as const).flatMap((kind) =>
      ['a', 'b'].map((name) => ({ id: `${keys.min}-${keys.max} ${name} ${kind}`, kind, keys })),
    ),
  );

  test('[I6] the one that goes first is the same for everybody, and there is no circle of them', () => {
    for (const a of all) {
      expect(yieldsTo(a, a)).toBe(false);
      for (const b of all)
        for (const c of all) if (yieldsTo(a, b) && yieldsTo(b, c)) expect([a, b, c, yieldsTo(a, c)]).toContain(true);
    }
    for (const a of all)
      for (const b of all)
        if (a.keys === b.keys && a.id !== b.id) expect([a, b, yieldsTo(a, b) !== yieldsTo(b, a)]).toContain(true);
  });

  test('[I6] [S20] every successor goes before its lease, also when one range has the same keys', () => {
    const whole = { id: '0', token: '0', kind: 'physical', keys: { min: '', max: 'FF' } } as const;
    for (const heirs of [ranges, [{ id: '9', min: '', max: 'FF', parents: ['0'] }]]) {
      const next = succession(whole, heirs);
      const successors = next.kind === 'same' ? [] : next.successors;

      expect(successors.length).toBe(heirs.length);
      for (const successor of successors) expect(yieldsTo(whole, { id: successor.token, ...successor })).toBe(true);
    }
  });
});

describe('succession', () => {
  test('[S15] [S20] splits make leases by range, merges by keys, and keys inside one range go on', () => {
    const whole = { token: '0', kind: 'physical', keys: { min: '', max: 'FF' } } as const;
    const slice = { token: '7', kind: 'physical', keys: { min: '', max: '20' } } as const;
    const keys = { token: '10-20', kind: 'keys', keys: { min: '10', max: '20' } } as const;
    const cut = { token: '30-50', kind: 'keys', keys: { min: '30', max: '50' } } as const;

    expect(tokens(succession(whole, ranges))).toEqual(['1', '2']);
    expect(tokens(succession(slice, ranges))).toEqual(['-20']);
    expect(succession(keys, ranges)).toEqual({ kind: 'same' });
    expect(tokens(succession(cut, ranges))).toEqual(['30-40', '40-50']);
    expect(succession({ token: '1', kind: 'physical', keys: { min: '', max: '40' } }, ranges)).toEqual({
      kind: 'same',
    });
  });
});

function tokens(next: ReturnType<typeof succession>): string[] {
  return next.kind === 'same' ? [] : next.successors.map(({ token }) => token);
}
