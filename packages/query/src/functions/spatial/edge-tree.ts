// Edges, in balls that are in larger balls, so that those that are near to something are found without asking all of them.
// Neighbours in a chain are neighbours in space: it is simply halved, and halved again.

import type { Ball } from './ball.ts';
import { ballAround, isApart } from './ball.ts';
import type { Edge } from './edge.ts';
import { step } from './steps.ts';

export interface EdgeTree<E extends Edge = Edge> {
  readonly ball: Ball;
  /** In the order of the chain; none where there are halves. */
  readonly edges: readonly E[];
  readonly halves: readonly [EdgeTree<E>, EdgeTree<E>] | undefined;
}

export function treeOf<E extends Edge>(edges: readonly E[]): EdgeTree<E> {
  if (edges.length <= leafMax) return { ball: ballAround(edges.map(({ ball }) => ball)), edges, halves: undefined };
  const middle = edges.length >> 1;
  return joined(treeOf(edges.slice(0, middle)), treeOf(edges.slice(middle)));
}

/** All of them, one after the other; there may be none. */
export function treeOfTrees(trees: readonly EdgeTree[]): EdgeTree {
  const [first] = trees;
  if (first === undefined) return treeOf([]);
  if (trees.length === 1) return first;
  const middle = trees.length >> 1;
  return joined(treeOfTrees(trees.slice(0, middle)), treeOfTrees(trees.slice(middle)));
}

export function edgesIn(tree: EdgeTree): readonly Edge[] {
  return tree.halves === undefined ? tree.edges : tree.halves.flatMap(edgesIn);
}

/** Those whose balls meet this one. */
export function edgesNear(tree: EdgeTree, ball: Ball): readonly Edge[] {
  const near: Edge[] = [];
  const visit = ({ ball: around, edges, halves }: EdgeTree): void => {
    step(1 + edges.length);
    if (isApart(around, ball)) return;
    for (const edge of edges) if (!isApart(edge.ball, ball)) near.push(edge);
    halves?.forEach(visit);
  };
  visit(tree);
  return near;
}

/** Whether it is so of any two edges whose balls meet. */
export function isAnyPair<E extends Edge>(a: EdgeTree<E>, b: EdgeTree<E>, test: (a: E, b: E) => boolean): boolean {
  step(1);
  if (isApart(a.ball, b.ball)) return false;
  if (a.halves !== undefined && (b.halves === undefined || a.ball.radius >= b.ball.radius)) {
    return a.halves.some((half) => isAnyPair(half, b, test));
  }
  if (b.halves !== undefined) return b.halves.some((half) => isAnyPair(a, half, test));
  return a.edges.some((edge) => b.edges.some((other) => isNear(edge, other) && test(edge, other)));
}

/** The same for the edges of one tree. */
export function isAnyPairWithin<E extends Edge>(tree: EdgeTree<E>, test: (a: E, b: E) => boolean): boolean {
  const { edges, halves } = tree;
  if (halves !== undefined) {
    return halves.some((half) => isAnyPairWithin(half, test)) || isAnyPair(...halves, test);
  }
  return edges.some((edge, at) => edges.slice(at + 1).some((other) => isNear(edge, other) && test(edge, other)));
}

/** So few are asked one by one. */
const leafMax = 8;

function isNear(a: Edge, b: Edge): boolean {
  step(1);
  return !isApart(a.ball, b.ball);
}

function joined<E extends Edge>(first: EdgeTree<E>, second: EdgeTree<E>): EdgeTree<E> {
  return { ball: ballAround([first.ball, second.ball]), edges: [], halves: [first, second] };
}
