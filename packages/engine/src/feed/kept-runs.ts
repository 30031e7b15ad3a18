// Runs in which pages ended. Whoever reads on begins in the middle of the same run: it would be read from the disk a second
// time, and verified a second time, for the rest of it. So the bytes of the last few are kept until that page comes.
//
// What is kept has been read from the disk once and is served once: a record is verified on the read that it is served from.

import { Buffer } from 'node:buffer';
import type { Slice } from '../index/slices.ts';
import { keptRunBytesMax, keptRunBytesMin, keptRunsBytesMax } from '../limits.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { oneFor } from './one-for.ts';
import type { LoadedSlice } from './slice-walk.ts';

export const keptRunsOf: (state: DatabaseState) => KeptRuns = oneFor((state) => new KeptRuns(state));

class KeptRuns {
  readonly #state: DatabaseState;
  /** The oldest first. Two readers may have ended in the same run. */
  readonly #kept: LoadedSlice[] = [];
  #bytes = 0;

  constructor(state: DatabaseState) {
    this.#state = state;
  }

  /** Whoever has the bytes keeps them as well, and gives them back as before. */
  put(loaded: LoadedSlice): void {
    const { buffer } = loaded.bodies;
    // What has come out of the overlay is in memory anyway.
    const { byteLength } = buffer;
    if (!loaded.isRead || byteLength < keptRunBytesMin || byteLength > keptRunBytesMax) return;
    this.#state.segments.buffers.share(buffer);
    this.#kept.push(loaded);
    this.#bytes += byteLength;
    while (this.#bytes > keptRunsBytesMax) this.#letGo(this.#kept.shift() as LoadedSlice);
  }

  /** The run of this slice, which is the caller's from now on; its bytes are to be given back. */
  take({ segment, offset, run }: Slice): LoadedSlice | undefined {
    for (let i = this.#kept.length - 1; i >= 0; i -= 1) {
      const { slice } = this.#kept[i] as LoadedSlice;
      if (slice.segment !== segment || slice.offset !== offset || slice.run !== run) continue;
      const [loaded] = this.#kept.splice(i, 1) as [LoadedSlice];
      this.#bytes -= loaded.bodies.buffer.byteLength;
      return { ...loaded, superseded: this.#state.usage.supersededBits(segment) };
    }
    return undefined;
  }

  #letGo({ bodies }: LoadedSlice): void {
    this.#bytes -= bodies.buffer.byteLength;
    this.#state.segments.buffers.give(Buffer.from(bodies.buffer));
  }
}
