// What the process occupies.

import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Subject } from '../engine/subject.ts';
import type { MemoryFigures } from './messages.ts';

const sampleMs = 100;

/** The most that the heap was seen to hold, what is not collected yet included. */
export class HeapPeak {
  #bytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => {
      this.#bytes = Math.max(this.#bytes, process.memoryUsage().heapUsed);
    }, sampleMs);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#bytes;
  }
}

export function memoryOf(subject: Subject, heapPeakBytes: number): MemoryFigures {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // The flag above makes V8 define it in new contexts.
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const { bitmapBytes } = subject.database.figures;
  return { heapBytes: heapUsed, heapPeakBytes, residentBytes: rss, ownBytes: ownBytesOf(rss), bitmapBytes };
}

/** Linux tells what is not backed by a file; elsewhere all of it counts. */
function ownBytesOf(residentBytes: number): number {
  if (process.platform !== 'linux') return residentBytes;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? residentBytes / 1024) * 1024;
}
