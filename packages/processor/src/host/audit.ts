// Do the leases cover the key space (F8)? A hole means changes that nobody reads, silently, for ever: a deleted lease document (D5).

import type { KeyRange } from '@tidemark/model';
import { compareHex, intersectKeyRanges, keyRangesIntersect, keySpaceMax, keySpaceMin } from '@tidemark/model';
import type { PhysicalRange } from '../feed/feed-source.ts';
import { isBehind } from '../lease/holder.ts';
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

interface Noted {
  readonly keys: KeyRange;
  readonly position: string;
}

/** A position that is known for keys which contain the hole: the narrowest is the newest of a line of splits, of equals the later. */
export function positionForHole<T extends Noted>(hole: KeyRange, notes: readonly T[]): T | undefined {
  const containing = notes.filter(({ keys }) => keys.min <= hole.min && hole.max <= keys.max);
  return containing.reduce<T | undefined>(
    (best, note) => (best === undefined || isNewer(note, best) ? note : best),
    undefined,
  );
}

/**
 * Whether `lease` may end because `other` has its keys, or some of them: those of `other` lie within its own. Where they are the same, a
 * lease by keys comes before one by range, which a merge ends and whose successor has the same keys; then the lower id. Nothing of this ever
 * changes, and no host need know a range for it: whoever looks, whenever, decides alike, so leases never end because of each other (I6).
 */
export function yieldsTo(lease: Claim, other: Claim): boolean {
  if (lease.keys === undefined || other.keys === undefined || lease.id === other.id) return false;
  if (!doesHold(lease.keys, other.keys)) return false;
  if (!doesHold(other.keys, lease.keys)) return true;
  return lease.kind === other.kind ? other.id < lease.id : other.kind === 'keys';
}

type Claim = Pick<Lease, 'id' | 'kind' | 'keys'>;

function doesHold(whole: KeyRange, part: KeyRange): boolean {
  return whole.min <= part.min && part.max <= whole.max;
}

/** Of two leases that overlap for long, the one to be replaced. Each is only ahead of what was acknowledged for its keys, so either may go. */
export function superseded(pair: readonly [string, string], leases: readonly Lease[]): Lease | undefined {
  const [a, b] = pair.map((token) => leases.find((lease) => lease.token === token));
  if (a === undefined || b === undefined) return undefined;
  return yieldsTo(a, b) ? a : yieldsTo(b, a) ? b : undefined;
}

/** Looks one after the other in which a hole or an overlap was seen; it is mended when it was there long enough not to be one on its way. */
export class HoleCounter {
  #looks = new Map<string, { readonly looks: number; readonly sinceMs: number }>();

  /** What is no hole any more is counted anew when it is one again, also where nobody counted in between. */
  keep(holes: readonly KeyRange[]): void {
    const present = new Set(holes.map(tokenOfKeys));
    for (const token of this.#looks.keys()) if (!present.has(token)) this.#looks.delete(token);
  }

  /** They were mended. */
  forget(holes: readonly KeyRange[]): void {
    for (const hole of holes) this.#looks.delete(tokenOfKeys(hole));
  }

  /** The holes that were seen `looksMin` times, this one included, the first time `ageMsMin` ago. */
  count(holes: readonly KeyRange[], looksMin: number, ageMsMin: number, nowMs: number): KeyRange[] {
    const before = this.#looks;
    this.#looks = new Map();
    return holes.filter((hole) => {
      const token = tokenOfKeys(hole);
      const { looks, sinceMs } = before.get(token) ?? { looks: 0, sinceMs: nowMs };
      this.#looks.set(token, { looks: looks + 1, sinceMs });
      return looks + 1 >= looksMin && nowMs - sinceMs >= ageMsMin;
    });
  }
}

/**
 * The hole in parts of which one position is known, or none: ranges may have been split and merged while their leases were missing. Each
 * part goes on from its own position.
 */
export function slicesOfHole<T extends Noted>(
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

function isNewer(a: Noted, b: Noted): boolean {
  if (!doesHold(b.keys, a.keys)) return false;
  return !doesHold(a.keys, b.keys) || isBehind(b.position, a.position);
}
