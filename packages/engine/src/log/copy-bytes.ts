// Copies within what is put together of small pieces. A native copy wants a view of its source first, which takes longer than these few
// bytes do in a loop.

const loopBytesMax = 96;

/** Bytes [start, end) of `source`, to `at`. Gives the offset behind them. */
export function copyBytes(source: Uint8Array, start: number, end: number, target: Buffer, at: number): number {
  if (end - start > loopBytesMax) target.set(source.subarray(start, end), at);
  else for (let i = start, to = at; i < end; i += 1, to += 1) target[to] = source[i] as number;
  return at + end - start;
}
