// The paths of an indexing policy (spec query 4): `/a/"b c"/[]/*`. Behind the names there is `/?`, the value at that place, or
// `/*`, it and everything below.

import type { PathStep } from '../syntax/tree.ts';

export interface IndexPath {
  /** Names as they are; `[]` for the elements of an array. */
  readonly segments: readonly Segment[];
  readonly isSubtree: boolean;
}

type Segment = { readonly name: string } | 'elements';

/** Undefined for what has another form: tuples, which no order is of, and what nobody can read. */
export function parseIndexPath(path: string): IndexPath | undefined {
  const segments: Segment[] = [];
  let at = 0;
  while (at < path.length) {
    segmentPattern.lastIndex = at;
    const match = segmentPattern.exec(path);
    if (match === null) return undefined;
    const [text, quoted, bare = ''] = match;
    at += text.length;
    if (quoted !== undefined) segments.push({ name: quoted.replace(/\\(.)/gsu, '$1') });
    else if (bare === '[]') segments.push('elements');
    else if (bare !== '?' && bare !== '*') segments.push({ name: bare });
    else return at === path.length ? { segments, isSubtree: bare === '*' } : undefined;
  }
  return { segments, isSubtree: false };
}

/** Whether the value at this place of a document is meant. */
export function isOnIndexPath({ segments, isSubtree }: IndexPath, steps: readonly PathStep[]): boolean {
  if (isSubtree ? steps.length < segments.length : steps.length !== segments.length) return false;
  return segments.every((segment, at) => {
    const step = steps[at];
    return segment === 'elements' ? typeof step === 'number' : String(step) === segment.name;
  });
}

const segmentPattern = /\/(?:"((?:[^"\\]|\\.)*)"|([^/"{}]+))/suy;
