// Sources and pumps with which a host makes an old mistake.

import { isDatabaseError } from '@tidemark/model';
import type { FeedSource } from '@tidemark/processor';
import type { HostEquipment, MakePump, PumpEnd } from '@tidemark/processor/testing';
import { bound } from './stores.ts';

/** Remembers how far each range was read. */
export function watchedSource(source: FeedSource): {
  readonly source: FeedSource;
  readonly lastRead: (token: string) => string | undefined;
} {
  const positions = new Map<string, string>();
  return {
    lastRead: (token) => positions.get(token),
    source: {
      identity: (signal) => source.identity(signal),
      ranges: (signal) => source.ranges(signal),
      read: async (read) => {
        const page = await source.read(read);
        positions.set(read.range ?? `${read.keys?.min}-${read.keys?.max}`, page.position);
        return page;
      },
    },
  };
}

/** D11: after a write of a lease was throttled, the next page of the feed is read and forgotten. */
export function skippingSource(equipment: HostEquipment): HostEquipment {
  const { source, leases } = equipment;
  let isSkipping = false;
  return {
    ...equipment,
    leases: {
      ...bound(leases),
      replace: async (document, body, signal) => {
        try {
          return await leases.replace(document, body, signal);
        } catch (error) {
          if (isDatabaseError(error) && error.code === 'too-many-requests') isSkipping = true;
          throw error;
        }
      },
    },
    source: {
      identity: (signal) => source.identity(signal),
      ranges: (signal) => source.ranges(signal),
      read: async (read) => {
        const page = await source.read(read);
        if (!isSkipping || page.items.length === 0) return page;
        isSkipping = false;
        return { ...page, items: [] };
      },
    },
  };
}

/** D9: what an empty feed says of its position is never offered. */
export function idlePump(make: MakePump): MakePump {
  return (lease, context) =>
    make(lease, {
      ...context,
      random: () => context.random(),
      isHeld: () => context.isHeld(),
      checkpoint: (position) => context.checkpoint(position),
      offer: () => {},
    });
}

/** D13: who drains or aborts it is told that it has ended, and it goes on for a while. */
export function earlyEndingPump(make: MakePump): MakePump {
  return (lease, context) => {
    const pump = make(lease, {
      ...context,
      signal: new AbortController().signal,
      random: () => context.random(),
      isHeld: () => true,
      checkpoint: (position) => context.checkpoint(position).catch(() => {}),
      offer: (position) => context.offer(position),
    });
    let end: (end: PumpEnd) => void = () => {};
    const early = new Promise<PumpEnd>((resolve) => {
      end = resolve;
    });
    context.signal.addEventListener('abort', () => end({ kind: 'aborted', error: context.signal.reason }));
    return {
      get stored() {
        return pump.stored;
      },
      run: () => Promise.race([pump.run(), early]),
      drain: () => end({ kind: 'drained' }),
    };
  };
}
