// A time as HTTP writes it: `Mon, 16 Nov 2026 08:00:00 GMT`. It is exact to the second, and what is read together was mostly
// written within few of them.

const slots = 256;
const seconds: number[] = Array.from({ length: slots }, () => Number.NaN);
const texts: string[] = Array.from({ length: slots }, () => '');

export function httpDate(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  const slot = Math.abs(second) % slots;
  if (seconds[slot] !== second) {
    seconds[slot] = second;
    texts[slot] = new Date(timeMs).toUTCString();
  }
  return texts[slot] as string;
}
