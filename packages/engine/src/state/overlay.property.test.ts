// Staged records: the newest of each key is found, whoever shares its bucket or its hash, and whatever left before.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StagedEntry } from './overlay.ts';
import { Overlay } from './overlay.ts';

class Entry implements StagedEntry {
  readonly hash: number;
  under: StagedEntry | undefined;
  over: StagedEntry | undefined;
  readonly #key: string;

  constructor(key: string, hash: number) {
    this.#key = key;
    this.hash = hash;
  }

  hasKey(key: Buffer): boolean {
    return key.toString() === this.#key;
  }
}

/** The first four are of one bucket, two of them with the same hash; the others are no small whole numbers. */
const keys = [
  ['a', 1],
  ['b', 1],
  ['c', 1 + 4_096],
  ['d', 1 + 8_192],
  ['e', -4_095],
  ['f', 0x7fff_ffff],
  ['g', -1],
] as const;

type Step =
  | { readonly kind: 'stage'; readonly key: number }
  | { readonly kind: 'unstage'; readonly nth: number }
  | { readonly kind: 'unstage-never'; readonly key: number }
  | { readonly kind: 'unstage-all' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('stage' as const), key: fc.nat(keys.length - 1) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('unstage' as const), nth: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unstage-never' as const), key: fc.nat(keys.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unstage-all' as const) }) },
);

test('[engine 6] the newest staged record of each key is found, in whatever order they come and go', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const overlay = new Overlay<Entry>();
      let staged: { readonly key: number; readonly entry: Entry }[] = [];
      const dead: Entry[] = [];
      const entryOf = (key: number): Entry => new Entry(...(keys[key] as readonly [string, number]));
      for (const each of steps) {
        if (each.kind === 'stage') {
          const entry = entryOf(each.key);
          overlay.stage(entry);
          staged.push({ key: each.key, entry });
        } else if (each.kind === 'unstage') {
          const [gone] = staged.splice(each.nth % Math.max(1, staged.length), 1);
          if (gone !== undefined) overlay.unstage(gone.entry);
        } else if (each.kind === 'unstage-never') overlay.unstage(entryOf(each.key));
        else {
          overlay.unstageAll();
          for (const { entry } of staged) dead.push(entry);
          staged = [];
          // What became of a failed group is told afterwards.
          for (const entry of dead.splice(0, 2)) overlay.unstage(entry);
        }
        for (const [key, [text, hash]] of keys.entries()) {
          const newest = staged.findLast((other) => other.key === key)?.entry;
          if (overlay.findStaged(Buffer.from(text), hash) !== newest) expect.fail(`the wrong one of ${text}`);
        }
      }
    }),
    { numRuns: 500 },
  );
});
