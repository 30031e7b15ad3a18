// Whether the rings of a polygon pass through each other or themselves, or run along each other. That they touch is allowed.

import type { Edge, Pass } from './edge.ts';
import { isPassingThrough, meetingOf, placesOfMeeting } from './edge.ts';
import { isAnyPairWithin, treeOf } from './edge-tree.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import type { Ring } from './shape.ts';

interface RingFault {
  readonly kind: 'crossing' | 'overlap';
  /** Of the ring that has it, from 1. */
  readonly ringNumber: number;
}

export function ringFaultIn(rings: readonly Ring[]): RingFault | undefined {
  let fault: RingFault | undefined;
  isAnyPairWithin(treeOf(rings.flatMap(stretchesOf)), (a, b) => {
    const kind = faultBetween(a, b);
    if (kind !== undefined) fault = { kind, ringNumber: Math.min(a.ringNumber, b.ringNumber) };
    return kind !== undefined;
  });
  return fault;
}

interface Stretch extends Edge {
  /** The corners of the ring before and after the edge. */
  readonly before: Position;
  readonly after: Position;
  readonly ringNumber: number;
}

function stretchesOf(ring: Ring, ringAt: number): readonly Stretch[] {
  return ring.map((edge, at) => {
    const before = ring.at(at - 1)?.from ?? edge.from;
    const after = ring[(at + 1) % ring.length]?.to ?? edge.to;
    return { ...edge, before, after, ringNumber: ringAt + 1 };
  });
}

function faultBetween(a: Stretch, b: Stretch): RingFault['kind'] | undefined {
  const meeting = meetingOf(a, b);
  if (meeting !== 'touching') return meeting === 'crossing' ? 'crossing' : undefined;
  const [corner, another] = placesOfMeeting(a, b);
  if (corner === undefined || another !== undefined) return 'overlap';
  // Neighbours meet in the corner that both pass, in the same directions.
  return isPassingThrough(corner, passOf(a, corner), passOf(b, corner)) ? 'crossing' : undefined;
}

function passOf({ from, to, before, after }: Stretch, corner: Position): Pass {
  if (isSamePlace(corner, from)) return { from: before, to };
  return isSamePlace(corner, to) ? { from, to: after } : { from, to };
}
