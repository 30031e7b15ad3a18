// Shapes as they are computed with: checked, without repeated positions, and with the inside on a known side.

import type { Ball } from './ball.ts';
import type { Edge } from './edge.ts';
import { edgeBetween } from './edge.ts';
import type { EdgeTree } from './edge-tree.ts';
import { treeOf, treeOfTrees } from './edge-tree.ts';
import type { Position } from './position.ts';

/** The edges around: each begins where the one before it ends, and the first where the last ends. */
export type Ring = readonly Edge[];

/** A point is inside when it is to the left of every ring. The first ring is the outer one, the others are holes. */
export interface Polygon {
  readonly rings: readonly [Ring, ...Ring[]];
  readonly border: EdgeTree;
  /** Whatever is out of it is inside of the polygon, or outside, without being looked at. */
  readonly ball: Ball;
  /** Whether it is inside. So it is where the outer ring goes clockwise around a small place of a globe. */
  readonly isFarInside: boolean;
}

export type Shape = PointShape | LineShape | AreaShape;

export interface PointShape {
  readonly kind: 'point';
  readonly position: Position;
  /** One edge without a length. */
  readonly edges: EdgeTree;
}

export interface LineShape {
  readonly kind: 'line';
  readonly positions: readonly Position[];
  readonly edges: EdgeTree;
}

interface AreaShape {
  readonly kind: 'area';
  readonly polygons: readonly Polygon[];
  /** Of all borders. */
  readonly edges: EdgeTree;
}

export function pointShape(position: Position): PointShape {
  return { kind: 'point', position, edges: treeOf([edgeBetween(position, position)]) };
}

export function lineShape(positions: readonly Position[]): LineShape {
  return { kind: 'line', positions, edges: treeOf(edgesOfLine(positions)) };
}

export function areaShape(polygons: readonly Polygon[]): AreaShape {
  return { kind: 'area', polygons, edges: treeOfTrees(polygons.map(({ border }) => border)) };
}

export function edgesOfLine(positions: readonly Position[]): readonly Edge[] {
  return positions.slice(1).flatMap((to, at) => {
    const from = positions[at];
    return from === undefined ? [] : [edgeBetween(from, to)];
  });
}

export function reversedRing(ring: Ring): Ring {
  return ring.map(({ from, to }) => edgeBetween(to, from)).toReversed();
}
