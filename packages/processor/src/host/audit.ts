// Do the leases cover the key space (F8)? A hole means changes that nobody reads, silently, for ever: a deleted lease document (D5).

import type { KeyRange } from '@tidemark/model';
import { compareHex, intersectKeyRanges, keyRangesIntersect, keySpaceMax, keySpaceMin } from '@tidemark/model';
import type { PhysicalRange } from '../feed/feed-source.ts';
import type { Lease } from '../lease/lease.ts';
import { tokenOfKeys } from '../lease/lease-names.ts';

export interface Coverage {
  readonly holes: readonly KeyRange[];
  /** Pairs of tokens whose keys overlap. A split or merge on its way shows as one. */
  readonly overlaps: readonly (readonly [string, string])[];
}

/** Of live leases, tombstones left out. Leases that do not know their keys yet cover nothing. */
export function auditCoverage(leases: readonly Lease[]): Coverage {
  const known = leases.flatMap(({ keys, token }) => (keys === undefined ? [] : [{ keys, token }]));
  const sorted = known.sort((a, b) => compareHex(a.keys.min, b.keys.min) || compareHex(a.keys.max, b.keys.max));
  const holes: KeyRange[] = [];
  const overlaps: [string, string][] = [];
  let end = { at: keySpaceMin, token: '' };
  for (const { keys, token } of sorted) {
    if (keys.min > end.at) holes.push({ min: end.at, max: keys.min });
    else if (keys.min < end.at) overlaps.push([end.token, token]);
    if (keys.max > end.at) end = { at: keys.max, token };
  }
  if (end.at < keySpaceMax) holes.push({ min: end.at, max: keySpaceMax });
  return { holes, overlaps };
}

/** A range of keys without a lease, as the lease that it should have. */
export interface MissingLease {
  readonly token: string;
  readonly kind: Lease['kind'];
  readonly keys: KeyRange;
}

/** One lease for each part of a hole that lies in one physical range; by the range's id where it is the whole range. */
export function missingLeases(holes: readonly KeyRange[], ranges: readonly PhysicalRange[]): MissingLease[] {
  return holes.flatMap((hole) =>
    ranges.flatMap((range): MissingLease[] => {
      const keys = intersectKeyRanges(hole, range);
      if (keys === undefined) return [];
      const isWhole = keys.min === range.min && keys.max === range.max;
      return [isWhole ? { token: range.id, kind: 'physical', keys } : { token: tokenOfKeys(keys), kind: 'keys', keys }];
    }),
  );
}

/**
 * Leases of old documents name no keys (D15). They are those of the range; or, when that is gone, of the ranges that came of it, as long
 * as no other lease of this kind claims them too (a merge of both would mix their positions); or what is left over when only one lease
 * and one hole are. The others stay without.
 */
export function resolveKeys(leases: readonly Lease[], ranges: readonly PhysicalRange[]): readonly Lease[] {
  if (leases.every(({ keys }) => keys !== undefined)) return leases;
  const own = leases.map((lease) => withOwnKeys(lease, ranges));
  const claims = own.map((lease) => (lease.keys === undefined ? heirKeys(lease, ranges) : undefined));
  const resolved = own.map((lease, i) => {
    const claim = claims[i];
    const isShared = claim !== undefined && claims.some((other, j) => i !== j && doIntersect(claim, other));
    return claim === undefined || isShared ? lease : { ...lease, keys: claim };
  });
  const orphans = resolved.filter(({ keys }) => keys === undefined);
  const { holes } = auditCoverage(resolved);
  if (orphans.length !== 1 || holes.length !== 1) return resolved;
  return resolved.map((lease) => (lease.keys === undefined ? { ...lease, keys: holes[0] } : lease));
}

function withOwnKeys(lease: Lease, ranges: readonly PhysicalRange[]): Lease {
  const range = lease.keys === undefined ? ranges.find(({ id }) => id === lease.token) : undefined;
  return range === undefined ? lease : { ...lease, keys: { min: range.min, max: range.max } };
}

function heirKeys(lease: Lease, ranges: readonly PhysicalRange[]): KeyRange | undefined {
  const heirs = ranges.filter(({ parents }) => parents.includes(lease.token));
  if (heirs.length === 0) return undefined;
  const min = heirs.map((heir) => heir.min).sort(compareHex)[0] ?? keySpaceMin;
  const max =
    heirs
      .map((heir) => heir.max)
      .sort(compareHex)
      .at(-1) ?? keySpaceMax;
  return { min, max };
}

function doIntersect(a: KeyRange, b: KeyRange | undefined): boolean {
  return b !== undefined && keyRangesIntersect(a, b);
}

/** A position that is known for keys which contain the hole: the narrowest is the newest of a line of splits. */
export function positionForHole<T extends { readonly keys: KeyRange }>(
  hole: KeyRange,
  notes: readonly T[],
): T | undefined {
  const containing = notes.filter(({ keys }) => keys.min <= hole.min && hole.max <= keys.max);
  return containing.reduce<T | undefined>(
    (best, note) => (best === undefined || isNarrower(note.keys, best.keys) ? note : best),
    undefined,
  );
}

/**
 * Of two leases that overlap for long, the one to be replaced by the other: what contains more than the other, or, where the keys are the
 * same, what is not the lease of a range that exists. Each of them is only ahead of what was acknowledged for its keys, so either may go.
 */
export function superseded(
  pair: readonly [string, string],
  leases: readonly Lease[],
  ranges: readonly PhysicalRange[],
): Lease | undefined {
  const [a, b] = pair.map((token) => leases.find((lease) => lease.token === token));
  if (a?.keys === undefined || b?.keys === undefined) return undefined;
  const doesHold = (x: KeyRange, y: KeyRange): boolean => x.min <= y.min && y.max <= x.max;
  const [isOver, isUnder] = [doesHold(a.keys, b.keys), doesHold(b.keys, a.keys)];
  if (isOver && isUnder) {
    const isRange = (lease: Lease): boolean => lease.kind === 'physical' && ranges.some(({ id }) => id === lease.token);
    if (isRange(a) !== isRange(b)) return isRange(a) ? b : a;
    return a.id < b.id ? b : a;
  }
  return isOver ? a : isUnder ? b : undefined;
}

/** Looks one after the other in which a hole was seen; it is mended when it was there long enough not to be a split on its way. */
export class HoleCounter {
  #looks = new Map<string, number>();

  /** The holes that were seen `looksMin` times, this one included. */
  count(holes: readonly KeyRange[], looksMin: number): KeyRange[] {
    const looks = new Map<string, number>();
    for (const hole of holes) looks.set(tokenOfKeys(hole), (this.#looks.get(tokenOfKeys(hole)) ?? 0) + 1);
    this.#looks = looks;
    return holes.filter((hole) => (looks.get(tokenOfKeys(hole)) ?? 0) >= looksMin);
  }
}

/**
 * The hole in parts of which one position is known, or none: ranges may have been split and merged while their leases were missing. Each
 * part goes on from its own position.
 */
export function slicesOfHole<T extends { readonly keys: KeyRange }>(
  hole: KeyRange,
  notes: readonly T[],
): readonly { readonly keys: KeyRange; readonly note: T | undefined }[] {
  const within = notes.flatMap(({ keys }) => intersectKeyRanges(keys, hole) ?? []);
  const cuts = new Set([...within.flatMap(({ min, max }) => [min, max]), hole.min, hole.max]);
  const [first, ...ends] = [...cuts].sort(compareHex);
  const slices: { keys: KeyRange; note: T | undefined }[] = [];
  let min = first ?? hole.min;
  for (const max of ends) {
    const note = positionForHole({ min, max }, notes);
    const last = slices.at(-1);
    if (last !== undefined && last.note === note) last.keys = { min: last.keys.min, max };
    else slices.push({ keys: { min, max }, note });
    min = max;
  }
  return slices;
}

function isNarrower(a: KeyRange, b: KeyRange): boolean {
  return a.min >= b.min && a.max <= b.max && (a.min !== b.min || a.max !== b.max);
}
