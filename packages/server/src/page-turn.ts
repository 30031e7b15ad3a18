// Pages are made a few at a time. Thousands of clients may ask at the same instant, and each page is megabytes until it is sent;
// from there on it counts as unsent.

import { pagesAtOnceMax } from './limits.ts';

let underWay = 0;
const waiting: (() => void)[] = [];

/** First come, first served. */
export async function inTurn<T>(read: () => Promise<T>): Promise<T> {
  if (underWay < pagesAtOnceMax) underWay += 1;
  // Whoever is done hands its turn over.
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await read();
  } finally {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }
}
