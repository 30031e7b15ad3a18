// A time as HTTP writes it: `Mon, 16 Nov 2026 08:00:00 GMT`. It is exact to the second, so that of what is written or read
// together most have the same.

const last: { second: number; text: string } = { second: Number.NaN, text: '' };

export function httpDate(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  if (second !== last.second) {
    last.second = second;
    last.text = new Date(timeMs).toUTCString();
  }
  return last.text;
}
