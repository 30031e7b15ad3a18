// The same pseudo-random numbers in every run and for everybody who takes part in it.

export type Chance = (below: number) => number;

/** mulberry32: 32 bits of state, good enough to spread keys. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
