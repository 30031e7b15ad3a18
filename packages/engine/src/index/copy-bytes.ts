// Copies within what is put together of small pieces. `Buffer.copy` makes a view of its source first, which takes longer than these
// few bytes do in a loop.

const loopBytesMax = 96;

/** Bytes [start, end) of `source`, to `at`. Gives the offset behind them. */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  if (end - start > loopBytesMax) return at + source.copy(target, at, start, end);
  for (let i = start, to = at; i < end; i += 1, to += 1) target[to] = source[i] as number;
  return at + end - start;
}
