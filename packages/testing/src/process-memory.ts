// Memory of another process, as the system counts it.

import { readFileSync } from 'node:fs';

/** Memory that is not a mapped file: the index is one, and grows with the data. Linux only; 0 elsewhere, and when it has ended. */
export function anonymousBytesOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
