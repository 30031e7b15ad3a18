// The name that was probably meant.

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
    const letters = distance(given.toLowerCase(), name.toLowerCase());
    if (letters >= bestDistance) continue;
    best = name;
    bestDistance = letters;
  }
  return best;
}

/** How many letters have to be changed, added or left out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
