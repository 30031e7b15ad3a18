// Integrals of smooth functions, by the rule of Gauss and Legendre. What is integrated here is nearly constant on spans of at
// most half a turn, so that as few points as these are right in all digits of a number.

/** The integral of `f` from `from` to `to`. */
export function integral(from: number, to: number, f: (at: number) => number): number {
  const middle = (from + to) / 2;
  const half = (to - from) / 2;
  let sum = 0;
  for (const { at, weight } of points) sum += weight * (f(middle - half * at) + f(middle + half * at));
  return sum * half;
}

const degree = 16;

/** Those to the right of the middle; the others are their mirror images. */
const points: readonly { readonly at: number; readonly weight: number }[] = Array.from(
  { length: degree / 2 },
  (_, i) => {
    // The zeros of the Legendre polynomial, from near guesses by Newton's method.
    let at = Math.cos((Math.PI * (i + 0.75)) / (degree + 0.5));
    for (let round = 0; round < 10; round += 1) {
      const { value, slope } = legendre(at);
      at -= value / slope;
    }
    const { slope } = legendre(at);
    return { at, weight: 2 / ((1 - at * at) * slope * slope) };
  },
);

function legendre(x: number): { readonly value: number; readonly slope: number } {
  let before = 1;
  let value = x;
  for (let k = 2; k <= degree; k += 1) {
    const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return { value, slope: (degree * (x * value - before)) / (x * x - 1) };
}
