// A contract is worth what it refuses: engines that are wrong in the ways that matter most, and the cases that find it.
// The same cases pass for the engine they are made of; embedded.test.ts shows that too.

import { describe, expect, test } from 'vitest';
import type { MakeEngine } from './bench.ts';
import { CuttingEngine } from './broken/cutting-engine.ts';
import { DirtyReadEngine, impatientFiles } from './broken/early-engines.ts';
import { SequenceFirstEngine } from './broken/sequence-first-engine.ts';
import { WanderingScanEngine } from './broken/wandering-scan-engine.ts';
import { WanderingSnapshotEngine } from './broken/wandering-snapshot-engine.ts';
import { memoryEngine } from './embedded-engines.ts';
import { rangeEngineCases, runCase } from './range-engine-contract.ts';

interface BrokenEngine {
  readonly name: string;
  readonly make: MakeEngine;
  /** The cases that have to find it out, each by a part of its title. */
  readonly foundBy: readonly string[];
  /** What has nothing to do with the defect: the engine is broken in one way, not in all. */
  readonly passes: readonly string[];
}

const brokenEngines: readonly BrokenEngine[] = [
  {
    name: 'takes LSNs from a sequence before the order of commits is known',
    make: memoryEngine({ engine: (inner) => new SequenceFirstEngine(inner) }),
    foundBy: [
      'a reader that follows many writers misses no LSN',
      'what a page has shown is never withdrawn, and no LSN below its position appears later',
      'whoever is told the LSN of a write finds everything up to it in the feed',
      'a rejected unit takes no LSN',
    ],
    passes: ['shows every document once, in the order of change', 'a batch of 100 operations commits under one LSN'],
  },
  {
    name: 'acknowledges and shows a change before its flush',
    make: memoryEngine({ files: impatientFiles }),
    foundBy: [
      'nothing is acknowledged and nothing is visible before its flush',
      'an update in flight leaves the version before it visible',
      'a rejection is answered only when what it saw is durable',
      'a read inside a batch is answered only when what it saw is durable',
      'waiters are not woken before the flush',
      'a split is not visible before its flush',
      'a delete by partition key is not visible before its flush',
    ],
    passes: ['a reader that follows many writers misses no LSN', 'a page never cuts a transaction'],
  },
  {
    name: 'shows a change before its flush, and acknowledges it after',
    make: memoryEngine({ engine: (inner) => new DirtyReadEngine(inner) }),
    foundBy: [
      'nothing is acknowledged and nothing is visible before its flush',
      'an update in flight leaves the version before it visible',
    ],
    passes: ['a reader that follows many writers misses no LSN', 'a rejection is answered only when'],
  },
  {
    name: 'reads the documents of one batch at two moments',
    make: memoryEngine({ engine: (inner) => new WanderingScanEngine(inner) }),
    foundBy: ['a batch of a scan is of one tail, whatever is written meanwhile'],
    passes: ['pages through a range in the order of creation', 'of several intervals of keys a scan gives'],
  },
  {
    name: 'reads the batches of a snapshot as they are now',
    make: memoryEngine({ engine: (inner) => new WanderingSnapshotEngine(inner) }),
    foundBy: [
      'a scan of a snapshot shows what was there when it was opened',
      'a snapshot of many documents of one key that are deleted meanwhile has them all',
      'the tail of a batch of a snapshot is that of its moment',
    ],
    passes: ['a batch of a scan is of one tail', 'pages through a range in the order of creation'],
  },
  {
    name: 'cuts a transaction across pages',
    make: memoryEngine({ engine: (inner) => new CuttingEngine(inner) }),
    foundBy: [
      'a page never cuts a transaction, even far above the items asked for',
      'what is left of a transaction after later updates still comes in one page',
      'the feed of one partition key with many documents never cuts a transaction',
      'a page of all versions never cuts a transaction',
      'after a merge a page ends after everything that shares its LSN',
    ],
    passes: ['paging visits everything once', 'a reader that follows many writers misses no LSN'],
  },
];

describe.each(brokenEngines)('an engine that $name', ({ make, foundBy, passes }) => {
  test.each(foundBy)('fails, and the good one passes: [engine 2] %s', async (part) => {
    const each = theCase(part);

    expect(await runCase(each, memoryEngine())).toBe(true);
    await expect(runCase(each, make)).rejects.toMatchObject({ name: 'AssertionError' });
  });

  test.each(passes)('is broken in one way only: %s', async (part) => {
    expect(await runCase(theCase(part), make)).toBe(true);
  });
});

function theCase(part: string): (typeof rangeEngineCases)[number] {
  const found = rangeEngineCases.filter(({ title }) => title.includes(part));
  if (found.length === 0) throw new Error(`no case of the contract says "${part}"`);
  return found[0] as (typeof rangeEngineCases)[number];
}
