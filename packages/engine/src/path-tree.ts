// Which members of a document are meant: a list of paths as a tree of names.

import { isDatabaseError, parsePartitionKeyPath } from '@tidemark/model';

/** Name → what is wanted of the member; undefined: all of it. */
export type PathTree = ReadonlyMap<string, PathTree | undefined>;

/** Paths are written like those of a partition key. Null for what is no list of paths. */
export function pathTreeOf(paths: unknown): PathTree | null {
  if (!Array.isArray(paths)) return null;
  const root: GrowingTree = new Map();
  for (const path of paths) {
    const names = typeof path === 'string' ? namesOf(path) : undefined;
    if (names === undefined) return null;
    grow(root, names);
  }
  return root;
}

interface GrowingTree extends Map<string, GrowingTree | undefined> {}

function namesOf(path: string): readonly string[] | undefined {
  try {
    return parsePartitionKeyPath(path);
  } catch (error) {
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}

/** A path counts more than the paths that go on from it. */
function grow(root: GrowingTree, names: readonly string[]): void {
  let tree = root;
  for (const [i, name] of names.entries()) {
    if (tree.has(name) && tree.get(name) === undefined) return;
    const below = i === names.length - 1 ? undefined : (tree.get(name) ?? new Map());
    tree.set(name, below);
    if (below !== undefined) tree = below;
  }
}
