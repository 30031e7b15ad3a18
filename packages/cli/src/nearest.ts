// The name that was probably meant.

import { letterEdits } from '@tidemark/model';

/** ` Did you mean x?`, or nothing when no name is near. */
export function suggestion(given: string, names: readonly string[]): string {
  const near = nearest(given, names);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

function nearest(given: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  // A third of the letters may be wrong, and never more than three.
  let bestDistance = Math.min(3, Math.ceil(given.length / 3)) + 1;
  for (const name of names) {
    const letters = letterEdits(given.toLowerCase(), name.toLowerCase());
    if (letters >= bestDistance) continue;
    best = name;
    bestDistance = letters;
  }
  return best;
}
