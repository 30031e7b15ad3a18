// The name that somebody may have meant.

/** Of these names the one that differs by its case or by a letter in four, two at most; undefined when there is none. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  for (const each of names) {
    const slips = Math.min(2, Math.floor(each.length / 4));
    if (Math.abs(each.length - name.length) <= slips && letterEdits(lower, each.toLowerCase()) <= slips) return each;
  }
  return undefined;
}

/** How many letters have to be changed, added, left out, or swapped with their neighbour. */
export function letterEdits(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
