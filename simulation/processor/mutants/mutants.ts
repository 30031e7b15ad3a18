// The defects of older processors (processor.md 1.13), each put back into ours by replacing one decision or one part. Every one must be
// noticed by the seeds on which the processor as it is passes: that is what the simulation is worth.

import type { HostEquipment, HostRules } from '@tidemark/processor/testing';
import { hostRules, processorProgram } from '@tidemark/processor/testing';
import type { Program } from '../run-plan.ts';
import { forgettingStore, startHidingStore } from './stores.ts';
import { earlyEndingPump, idlePump, skippingSource, watchedSource } from './streams.ts';

export interface Mutant {
  readonly id: string;
  readonly title: string;
  /** A seed that is known to kill it: tried first. */
  readonly seed: number;
  readonly program: Program;
}

export const mutants: readonly Mutant[] = [
  {
    id: 'D1',
    title: 'children of a split begin after what was read, not after what was acknowledged',
    seed: 24,
    program: (equipment, settings) => {
      const { source, lastRead } = watchedSource(equipment.source);
      const childPosition: HostRules['childPosition'] = (keeper) => lastRead(keeper.lease.token) ?? keeper.position;
      return processorProgram({ ...equipment, source }, settings, { rules: { ...hostRules, childPosition } });
    },
  },
  ruled('D2', 'a host that is cut off from the leases goes on', 176, { holdUntilMs: () => Number.POSITIVE_INFINITY }),
  ruled('D3', 'a lease belongs to a name, and a refused write is written again', 2, {
    isOwn: (lease, holder) => lease.owner === holder.instance,
    mayMove: () => true,
  }),
  ruled('D4', 'the lease of a split range that cannot be removed is taken and split again', 672, {
    isTombstone: () => false,
  }),
  ruled('D5', 'nobody looks whether the leases still cover everything', 1, {
    audit: (leases) => (leases.length === 0 ? hostRules.audit(leases) : { holes: [], overlaps: [] }),
  }),
  ruled('D6', 'a lock is only ever removed by its time to live', 11, { lockMs: () => Number.POSITIVE_INFINITY }),
  ruled('D7', 'leases expire by comparing the clocks of two machines', 126, {
    isExpired: (lease, _seen, _nowMs, { expirationMs }, wallMs) =>
      Date.parse(lease.timestamp ?? '') + expirationMs < wallMs,
  }),
  {
    id: 'D8',
    title: 'a lease is given up whenever the feed is throttled',
    seed: 3,
    program: (equipment, settings) =>
      processorProgram(equipment, { ...settings, pump: { ...settings.pump, stallMs: 0 } }),
  },
  {
    id: 'D9',
    title: 'positions are not stored while nothing comes',
    seed: 3,
    program: (equipment, settings) =>
      processorProgram(
        equipment,
        { ...settings, pump: { ...settings.pump, idleCheckpointMs: Number.POSITIVE_INFINITY } },
        { rules: { ...hostRules, renewedPosition: (stored) => stored }, wrapPump: idlePump },
      ),
  },
  ruled('D10', 'a lease that is there twice stops the balancer', 9, {
    chooseDuplicate: () => {
      throw new Error('an item with the same key has already been added');
    },
  }),
  {
    id: 'D11',
    title: 'a throttled lease store makes the feed skip a page',
    seed: 21,
    program: (equipment, settings) => processorProgram(skippingSource(equipment), settings),
  },
  ruled('D12', 'a host that meets its own write believes that it lost the lease', 5, { isOwn: () => false }),
  {
    id: 'D13',
    title: 'batches are delivered after close',
    seed: 1,
    program: (equipment, settings) => processorProgram(equipment, settings, { wrapPump: earlyEndingPump }),
  },
  {
    id: 'D14',
    title: 'every host begins where its own options say',
    seed: 174,
    program: (equipment, settings) =>
      processorProgram({ ...equipment, leases: startHidingStore(equipment.leases) }, settings),
  },
  {
    id: 'D15',
    title: 'the keys of an old lease are not filled in, so that it cannot be split',
    seed: 64,
    program: (equipment, settings) =>
      processorProgram({ ...equipment, leases: forgettingStore(equipment.leases) }, settings),
  },
  ruled('D16', 'a stop waits for handlers without bound', 19, { drainMs: () => 24 * 3_600_000 }),
];

function ruled(id: string, title: string, seed: number, rules: Partial<HostRules>): Mutant {
  const program: Program = (equipment: HostEquipment, settings) =>
    processorProgram(equipment, settings, { rules: { ...hostRules, ...rules } });
  return { id, title, seed, program };
}
