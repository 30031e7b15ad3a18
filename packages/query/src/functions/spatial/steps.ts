// Steps of computing, counted where they are made. Deep inside of what is computed nobody knows for which call it is; since a call
// is computed without a pause, there is only one at a time.

import { Work } from '../../value/work.ts';

/** Calls the function, whose steps are taken from this work. Outside of it nothing is counted. */
export function counted<T>(work: Work | undefined, functionName: string, compute: () => T): T {
  counter = work ?? new Work();
  sentence = `${functionName}: the shapes have too many edges that are near to each other. Use shapes with fewer points.`;
  try {
    return compute();
  } finally {
    counter = undefined;
  }
}

/** Each is about ten nanoseconds. */
export function step(count: number): void {
  counter?.take(count, sentence);
}

let counter: Work | undefined;
let sentence = '';
