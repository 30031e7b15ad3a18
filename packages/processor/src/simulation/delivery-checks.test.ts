import { expect, test } from 'vitest';
import type { Actor, DeliveryPlace } from './delivery.ts';
import { DeliveryChecks } from './delivery-checks.ts';
import type { LeaseHistories } from './lease-histories.ts';
import type { Change, ModelContainer } from './model-container.ts';

/** Who delivers which change, and which epoch the lease has by then. */
interface Delivery {
  readonly by: string;
  readonly epoch: number;
  readonly change: 0 | 1;
  readonly leaseEpoch: number;
}

const first = { by: 'a', epoch: 1, change: 1, leaseEpoch: 2 } as const;

test.each<[string, readonly Delivery[], boolean]>([
  ['by the newer of two owners', [first, { by: 'b', epoch: 2, change: 0, leaseEpoch: 2 }], true],
  [
    'by the older of two owners',
    [
      { ...first, by: 'b', epoch: 2 },
      { by: 'a', epoch: 1, change: 0, leaseEpoch: 2 },
    ],
    true,
  ],
  ['by an owner who came later', [first, { by: 'c', epoch: 3, change: 0, leaseEpoch: 3 }], false],
  ['by the same owner, who was robbed', [first, { ...first, change: 0 }], false],
  [
    'by the only owner',
    [
      { ...first, leaseEpoch: 1 },
      { ...first, change: 0, leaseEpoch: 1 },
    ],
    false,
  ],
])('[I3] a superseded change after its successor: %s', (_, deliveries, isExcused) => {
  expect(reportsOf(deliveries, true)).toEqual(isExcused ? [] : ['I3']);
});

test('[I3] a change that is still shown comes before its successor, whoever delivers', () => {
  expect(reportsOf([first, { by: 'b', epoch: 2, change: 0, leaseEpoch: 2 }], false)).toEqual(['I3']);
});

function reportsOf(deliveries: readonly Delivery[], isSuperseded: boolean): string[] {
  const changes = [0, 1].map((sequence): Change => {
    const document = { id: 'd' };
    const of = { partitionKey: 'k', position: 'AA', id: 'd', timeMs: 0, type: 'replace', document } as const;
    return { ...of, sequence, lsn: sequence + 1, previous: undefined, isSuperseded: isSuperseded && sequence === 0 };
  });
  const reports: string[] = [];
  let epoch = 0;
  const histories = {
    // Nothing but the order is looked at.
    isTampered: true,
    of: () => ({ epoch, tenures: new Map() }),
    // Who came later has robbed.
    laterThan: (_: unknown, before: number) => (epoch > before ? [{ taking: 'stolen', beganMs: 0 }] : []),
    isReadAnew: () => false,
    isDoubled: () => false,
    tenureOf: () => undefined,
  };
  const delivered = new Set<Change>();
  const checks = new DeliveryChecks({
    container: { changes } as unknown as ModelContainer,
    histories: histories as unknown as LeaseHistories,
    mode: 'latest',
    nowMs: () => 0,
    expirationMs: 1,
    handoffMs: 0,
    isOlderThanGroup: () => false,
    deliveriesOf: (change) => (delivered.has(change) ? 1 : 0),
    report: (invariant) => reports.push(invariant),
  });
  for (const { by, change, leaseEpoch, ...at } of deliveries) {
    epoch = leaseEpoch;
    const actor: Actor = { id: by, instance: by };
    const signal = new AbortController().signal;
    const place: DeliveryPlace = { leaseToken: '0', keys: { min: '', max: 'FF' }, epoch: at.epoch, signal };
    const delivery = [changes[change] as Change];
    checks.check(actor, place, delivery);
    checks.finish(actor, place, delivery);
    delivered.add(delivery[0] as Change);
  }
  return reports;
}
