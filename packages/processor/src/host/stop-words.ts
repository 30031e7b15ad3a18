// What a stop that takes its time waits for, in a sentence: whoever pressed Ctrl-C should not have to guess.

import type { TenureState } from './tenure-states.ts';

export interface StopFacts {
  /** Until the stop ends, whatever is not done by then. */
  readonly leftMs: number;
  readonly tenures: readonly { readonly token: string; readonly state: TenureState }[];
  readonly storeName: string;
  /** Why the lease store fails at the moment; undefined: it does not, as far as is known. */
  readonly storeFailure: string | undefined;
}

export function stopWords({ leftMs, tenures, storeName, storeFailure }: StopFacts): string {
  const store = `the lease store ${storeName}${storeFailure === undefined ? '' : `, which fails: ${storeFailure}`}`;
  // A range that closes has nothing in flight: what is left is the last write of its lease.
  const busy = tenures.filter(({ state }) => state !== 'closing').map(({ token }) => token);
  const waitsFor =
    busy.length === 0 ? store : `what is in flight in ${busy.length === 1 ? 'range' : 'ranges'} ${some(busy)}`;
  const end = /[.!?]$/.test(waitsFor) ? '' : '.';
  return `The stop waits for ${waitsFor}${end} It ends within ${Math.ceil(leftMs / 1000)} s in any case; drainMs says how long it may take.`;
}

function some(tokens: readonly string[]): string {
  const shown = tokens.slice(0, tokensShownMax).join(', ');
  return tokens.length > tokensShownMax ? `${shown} and ${tokens.length - tokensShownMax} more` : shown;
}

/** Enough to go on looking. */
const tokensShownMax = 5;
