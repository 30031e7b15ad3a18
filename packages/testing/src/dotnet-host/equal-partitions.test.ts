import { expect, test } from 'vitest';
import { leasesToTake } from './equal-partitions.ts';
import type { DotnetLease } from './lease-document.ts';
import { readLease } from './lease-document.ts';

const expirationMs = 60_000;
const nowMs = Date.UTC(2026, 0, 1);

/** `a a b -`: owners in the order of the list; `-` is free, a name with `!` has not renewed for too long. */
function leasesOf(owners: string): DotnetLease[] {
  return owners.split(' ').map((owner, n) => {
    const isExpired = owner.endsWith('!');
    const timestamp = new Date(nowMs - (isExpired ? expirationMs + 1 : 1_000)).toISOString();
    const body = { LeaseToken: String(n), Owner: owner === '-' ? null : owner.replace('!', ''), timestamp };
    return readLease({ id: `..${n}`, key: `..${n}`, etag: '', body });
  });
}

function take(owners: string, instance: string): string {
  const taken = leasesToTake({ leases: leasesOf(owners), instance, nowMs, expirationMs });
  return taken.map(({ token }) => token).join(' ');
}

test.each([
  ['all that is free, when it is alone', '- - - -', 'a', '0 1 2 3'],
  ['what is expired, up to its share', 'b! b! c c', 'a', '0 1'],
  ['nothing when it has its share, though something is free', 'a a b -', 'a', ''],
  ['never a theft where something is free', 'b b b -', 'a', '3'],
  ['one in a tick, the first of whoever has most', 'b b b c c c c c', 'a', '3'],
  ['the last of those who have most', 'b b b c c c', 'a', '3'],
  ['nothing from those at the target, when one is needed', 'b b c c a', 'a', ''],
  ['one from those at the target, when more are needed', 'b b b c c c d d d', 'a', '6'],
  ['a share of one, where hosts are more than leases', 'b c', 'a', ''],
  ['its own, when it is expired', 'a! b', 'a', '0'],
  ['what is its own whatever the case of letters', 'A a b b', 'a', ''],
])('takes %s', (_, owners, instance, expected) => {
  expect(take(owners, instance)).toBe(expected);
});

test('keeps the bounds of its share', () => {
  const leases = leasesOf('- - - - - -');
  expect(leasesToTake({ leases, instance: 'a', nowMs, expirationMs, leasesMax: 2 })).toHaveLength(2);
  const owned = leasesOf('a b b c c -');
  expect(leasesToTake({ leases: owned, instance: 'a', nowMs, expirationMs, leasesMin: 4 })).toHaveLength(1);
});
