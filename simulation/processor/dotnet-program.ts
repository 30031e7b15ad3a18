// A host with the rules of .NET in a world: what shares the lease container with hosts of this library (S57).

import type { HostEquipment, HostProgram } from '@tidemark/processor/testing';
import { DotnetHost } from '@tidemark/testing';
import type { Settings } from './plan.ts';

/** Epochs of its acquisitions: it knows none itself, and they must not look like those of others. */
const firstEpoch = 1_000_000;

export function dotnetProgram(settings: Settings): (equipment: HostEquipment) => HostProgram {
  return ({ instance, source, leases, ground, observer }) => {
    const epochs = new Map<string, number>();
    const { signal } = new AbortController();
    const contextOf = (leaseToken: string) => ({
      leaseToken,
      keys: { min: '', max: 'FF' },
      epoch: firstEpoch + (epochs.get(leaseToken) ?? 0),
      instance,
      signal,
    });
    const host = new DotnetHost({
      source,
      store: leases,
      clock: ground.clock,
      name: settings.name,
      instance,
      start: 'beginning',
      ...(settings.pump.itemsMax === undefined ? {} : { itemsMax: settings.pump.itemsMax }),
      renewMs: settings.lease.renewMs,
      acquireMs: settings.lease.acquireMs,
      expirationMs: settings.lease.expirationMs,
      pollMs: settings.pump.pollMs,
      handler: async (changes, { leaseToken, checkpoint }) => {
        await observer.changes(changes, {
          ...contextOf(leaseToken),
          position: '',
          attempt: 1,
          charge: 0,
          sessionToken: undefined,
          checkpoint,
          idempotencyKey: () => '',
        });
      },
      onAcquired: (leaseToken) => {
        epochs.set(leaseToken, (epochs.get(leaseToken) ?? 0) + 1);
        void observer.open?.(contextOf(leaseToken));
      },
      onReleased: (leaseToken, end) => {
        void observer.close?.(contextOf(leaseToken), end.kind === 'lost' ? 'lease-lost' : 'shutdown');
      },
    });
    return { start: () => host.start(), stop: () => host.stop() };
  };
}
