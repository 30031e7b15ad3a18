// The contract of the engine seam: what every engine promises, as named cases. The suite below runs them one by one; the
// tests of the broken engines run some of them and want them to fail.

import { describe, test } from 'vitest';
import { VirtualClock } from '../virtual-clock.ts';
import { batchCases } from './batches.ts';
import type { ContractCase, MakeEngine } from './bench.ts';
import { Bench } from './bench.ts';
import { containerCases } from './containers.ts';
import { deletePartitionCases } from './delete-partition.ts';
import { documentCases } from './documents.ts';
import { feedLatestCases } from './feed-latest.ts';
import { feedScopeCases, feedStartCases } from './feed-scopes.ts';
import { feedVersionsCases } from './feed-versions.ts';
import { flushCases } from './flushes.ts';
import { limitCases } from './limits.ts';
import { lsnCases } from './lsns.ts';
import { namedResourceCases } from './named-resources.ts';
import { patchCases } from './patches.ts';
import { rangeCases } from './ranges.ts';
import { scanCases } from './scan.ts';
import { snapshotCases } from './snapshots.ts';
import { tailingCases } from './tailing.ts';
import { ttlCases } from './ttl.ts';
import { uniqueKeyCases } from './unique-keys.ts';

const groups: Readonly<Record<string, readonly ContractCase[]>> = {
  containers: containerCases,
  'named resources': namedResourceCases,
  documents: documentCases,
  patches: patchCases,
  scan: scanCases,
  snapshots: snapshotCases,
  batches: batchCases,
  'unique keys': uniqueKeyCases,
  'time to live': ttlCases,
  limits: limitCases,
  'lsns and time': lsnCases,
  'feed, latest version': feedLatestCases,
  'feed, all versions': feedVersionsCases,
  'feed scopes': feedScopeCases,
  'feed starts': feedStartCases,
  ranges: rangeCases,
  tailing: tailingCases,
  'delete by partition key': deletePartitionCases,
  flushes: flushCases,
};

/** Every case of the contract, in the order of the suite. */
export const rangeEngineCases: readonly ContractCase[] = Object.values(groups).flat();

/** Runs the contract. What an engine does not offer, by its profile or by how it is made, is skipped. */
export function rangeEngineContract(name: string, make: MakeEngine): void {
  describe(`the engine seam: ${name}`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const each of cases) {
          test(each.title, async ({ skip }) => {
            const isRun = await runCase(each, make);
            skip(!isRun, 'this engine does not offer it');
          });
        }
      });
    }
  });
}

/** Runs one case on a fresh engine; false when the engine does not offer what the case needs. Rejects when it fails. */
export async function runCase(each: ContractCase, make: MakeEngine): Promise<boolean> {
  const clock = new VirtualClock();
  const bench = new Bench(await make({ clock }), clock);
  try {
    if (each.needs?.some((need) => !bench.offers(need))) return false;
    await each.run(bench);
    return true;
  } finally {
    await bench.close();
  }
}
