// Each excuse of the oracle from both sides: what it forgives, and the nearest thing that it must not forgive.

import type { KeyRange } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { StoredDocument } from '../store/document-store.ts';
import type { Actor, DeliveryPlace, DeliveryRecord } from './delivery.ts';
import { nameOf } from './delivery.ts';
import type { Change } from './model-container.ts';
import { ModelContainer } from './model-container.ts';
import { ModelDocuments } from './model-documents.ts';
import { Oracle } from './oracle.ts';

const [a, b, c] = ['a', 'b', 'c'].map((instance): Actor => ({ id: `${instance}#1`, instance })) as [
  Actor,
  Actor,
  Actor,
];
const twinOfA: Actor = { id: 'a#2', instance: 'a' };
const expirationMs = 60_000;
const allKeys: KeyRange = { min: '', max: 'FF' };

interface LeaseState {
  readonly owner?: Actor;
  readonly epoch: number;
  readonly lsn?: number;
  readonly isTombstone?: boolean;
  /** All of them without it. */
  readonly keys?: KeyRange;
}

/** One range, one lease, and the hosts a, b and c, whose writes and deliveries a test makes itself. */
class Bench {
  nowMs = 0;
  readonly container: ModelContainer = new ModelContainer({ ranges: 1, nowMs: () => this.nowMs });
  readonly leases: ModelDocuments = new ModelDocuments({
    nowMs: () => this.nowMs,
    partitionKeyPath: '/partitionKey',
  });
  readonly oracle: Oracle;
  readonly #signals = new Map<string, AbortController>();
  twin: Actor | undefined;

  constructor(options: { readonly mayRewind?: boolean; readonly handoffMs?: number } = {}) {
    this.oracle = new Oracle({
      container: this.container,
      leases: this.leases,
      mode: 'latest',
      nowMs: () => this.nowMs,
      expirationMs,
      // As hosts that rob at once have it.
      handoffMs: options.handoffMs ?? 0,
      mayRewind: options.mayRewind ?? true,
      hasTwin: (actor) => actor === this.twin,
      onDelivery: () => {},
      onFinished: () => {},
    });
    this.leases.onWrite = (entry) => this.oracle.leaseWritten(entry);
  }

  get reports(): string[] {
    return this.oracle.violations.map(({ invariant }) => invariant);
  }

  commit(count: number, key = 'k'): Change[] {
    return Array.from({ length: count }, (_, i) =>
      this.container.commit(key, [{ id: `${key}-${i}`, document: {} }]),
    ).flat();
  }

  /** `by` undefined: by hand. */
  write(
    by: Actor | undefined,
    { owner, epoch, lsn, isTombstone, keys = allKeys }: LeaseState,
    token = '0',
    key = 'one',
  ): void {
    const body = {
      id: `g..${token}`,
      partitionKey: key,
      LeaseToken: token,
      FeedRange: { Range: keys },
      Owner: owner?.instance ?? null,
      ContinuationToken: lsn === undefined ? null : `"${lsn}"`,
      properties: {
        'tidemark.epoch': String(epoch),
        'tidemark.instance': (owner ?? by)?.instance ?? '',
        'tidemark.nonce': `n-${(owner ?? by)?.id}`,
        ...(isTombstone === true ? { 'tidemark.gone': '' } : {}),
      },
    };
    const stored = this.#stored(token, key);
    if (stored === undefined) this.leases.create(body, by?.id);
    else this.leases.replace(stored, body, by?.id);
  }

  remove(by: Actor | undefined, token = '0', key = 'one'): void {
    const stored = this.#stored(token, key);
    if (stored !== undefined) this.leases.remove(stored, by?.id);
  }

  deliver(by: Actor, epoch: number, changes: readonly Change[], token = '0'): DeliveryRecord {
    const place = this.#placeOf(by, epoch, token);
    const record = this.oracle.delivered(by, place, changes, 1);
    this.oracle.acknowledged(record);
    return record;
  }

  /** The owner hands over or releases after this; `isAborted`: its time was over. */
  close(by: Actor, epoch: number, isAborted = false, reason: 'handed-over' | 'lease-lost' = 'handed-over'): void {
    const place = this.#placeOf(by, epoch, '0');
    if (isAborted) this.#signals.get(nameOf(by, place))?.abort();
    this.oracle.closed(by, place, reason);
  }

  #placeOf(by: Actor, epoch: number, leaseToken: string): DeliveryPlace {
    const name = nameOf(by, { leaseToken, epoch });
    const controller = this.#signals.get(name) ?? new AbortController();
    const place = { leaseToken, keys: allKeys, epoch, signal: controller.signal };
    if (!this.#signals.has(name)) this.oracle.opened(by, place);
    this.#signals.set(name, controller);
    return place;
  }

  #stored(token: string, key: string): StoredDocument | undefined {
    return this.leases.read(`g..${token}`, key);
  }
}

// ---- Two at work on one lease (I4) ----

const takings: Readonly<Record<'stolen' | 'expired' | 'free' | 'handed-over', (bench: Bench) => void>> = {
  stolen: (bench) => {
    bench.nowMs += 1000;
    bench.write(b, { owner: b, epoch: 2 });
  },
  expired: (bench) => {
    bench.nowMs += expirationMs;
    bench.write(b, { owner: b, epoch: 2 });
  },
  free: (bench) => {
    bench.write(a, { epoch: 1 });
    bench.write(b, { owner: b, epoch: 2 });
  },
  'handed-over': (bench) => bench.write(a, { owner: b, epoch: 2 }),
};

const isRemovedOrNot = [
  ['', false],
  [', also when the lease is gone by then', true],
] as const;

for (const [alsoThen, isRemoved] of isRemovedOrNot) {
  test.each(Object.entries(takings))(
    `[I4] the owner before goes on after a lease was %s${alsoThen}`,
    (taking, take) => {
      const bench = new Bench();
      const [first, second] = bench.commit(2, 'x') as [Change, Change];
      bench.write(a, { owner: a, epoch: 1 });
      bench.deliver(a, 1, [first]);

      take(bench);
      bench.deliver(b, 2, [second]);
      if (isRemoved) {
        bench.write(b, { epoch: 2, isTombstone: true });
        bench.remove(b);
      }
      bench.deliver(a, 1, bench.commit(1, 'y'));

      expect(bench.reports).toEqual(taking === 'stolen' ? [] : ['I4']);
    },
  );
}

test.each<[string, number, number, Actor, string[]]>([
  ['by a host that robs at once', 0, 1000, b, []],
  ['by a host that robs at once, longer ago than a lease holds', 0, expirationMs, b, ['I4']],
  ['by a host that had to wait', 15_000, 1000, b, ['I4']],
  ['by a twin, which waits for nobody', 15_000, 1000, twinOfA, []],
])(
  '[I4] the owner before goes on beside one who took the lease: it was stolen %s',
  (_, handoffMs, afterMs, thief, reports) => {
    const bench = new Bench({ handoffMs });
    bench.write(a, { owner: a, epoch: 1 });
    bench.deliver(a, 1, bench.commit(1, 'x'));

    bench.nowMs += 1000;
    bench.write(thief, { owner: thief, epoch: 2 });
    bench.deliver(thief, 2, bench.commit(1, 'y'));
    bench.nowMs += afterMs;
    bench.deliver(a, 1, bench.commit(1, 'z'));

    expect(bench.reports).toEqual(reports);
  },
);

test.each([
  ['made again at once by the host that finishes a split', undefined, 1000, b, []],
  ['made again so when its owner must have stopped', undefined, expirationMs, b, ['I4']],
  ['made again by the audit, for anybody', undefined, 1000, undefined, ['I4']],
  ['removed by a host and made again', a, 1000, b, ['I4']],
])('[I4] its owner goes on with a lease that was deleted and is %s', (_, remover, afterMs, maker, reports) => {
  const bench = new Bench();
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, bench.commit(1, 'x'));

  bench.remove(remover);
  bench.nowMs += afterMs;
  bench.write(b, maker === undefined ? { epoch: 2 } : { owner: maker, epoch: 2 });
  if (maker === undefined) bench.write(b, { owner: b, epoch: 3 });
  bench.deliver(a, 1, bench.commit(1, 'y'));
  expect(bench.reports).toEqual([]);
  bench.deliver(b, maker === undefined ? 3 : 2, bench.commit(1, 'z'));
  bench.deliver(a, 1, bench.commit(1, 'w'));

  expect(bench.reports).toEqual(reports);
});

test.each([
  ['a moment after its last write', 1000, ['I4']],
  ['when it is nearly over, by a clock that is fast', 0.95 * expirationMs, []],
])('[I4] a lease is taken as expired %s', (_, afterMs, reports) => {
  const bench = new Bench();
  bench.write(a, { owner: a, epoch: 1 });

  bench.nowMs += afterMs;
  bench.write(b, { owner: b, epoch: 2 });
  bench.oracle.takenAsExpired(b, '0', 2);

  expect(bench.reports).toEqual(reports);
});

// ---- Order (I3) ----

test.each([
  ['robbed', 1000, 1, []],
  ['late', expirationMs, 1, ['I3']],
  ['the last one of it', expirationMs, 2, ['I3']],
])(
  '[I3] an owner of a merged lease delivers what was superseded meanwhile: it was %s',
  (_, afterMs, epoch, reports) => {
    const bench = new Bench();
    const [old] = bench.commit(1) as [Change];
    const [young] = bench.commit(1) as [Change];
    bench.write(a, { owner: a, epoch: 1 });

    bench.nowMs += afterMs;
    bench.write(b, { owner: b, epoch: 2 });
    bench.write(b, { epoch: 2, isTombstone: true });
    bench.remove(b);
    bench.write(c, { owner: c, epoch: 3 }, '1');
    bench.deliver(c, 3, [young], '1');
    bench.deliver(epoch === 1 ? a : b, epoch, [old]);

    expect(bench.reports).toEqual(reports);
  },
);

/** And its range is split: what comes again comes by another lease. */
function rewind(bench: Bench): void {
  bench.oracle.refused(a, '0');
  bench.write(a, { owner: a, epoch: 1 });
  bench.write(a, { epoch: 1, isTombstone: true });
  bench.remove(a);
}

const readingsAnew: Readonly<Record<string, readonly [act: (bench: Bench) => void, requiredFrom: number, string[]]>> = {
  'whose lease was deleted by hand': [(bench) => bench.remove(undefined), 1, ['I3']],
  'whose position was refused': [rewind, 1, []],
  'that is owed, and whose position was refused': [rewind, 0, ['I3']],
  'whose lease was merged away': [
    (bench) => {
      bench.write(a, { epoch: 1, isTombstone: true, lsn: 2 });
      bench.remove(a);
    },
    1,
    ['I3'],
  ],
};

test.each(Object.entries(readingsAnew))(
  '[I3] a change from before the group comes after a later one of its key %s',
  (_, [act, requiredFrom, reports]) => {
    const bench = new Bench();
    const [old] = bench.commit(1, 'k') as [Change];
    const [young] = bench.container.commit('k', [{ id: 'other', document: {} }]) as [Change];
    bench.oracle.requiredFrom = 1;
    bench.write(a, { owner: a, epoch: 1 });
    bench.deliver(a, 1, [young]);
    bench.write(a, { owner: a, epoch: 1, lsn: 2 });
    bench.oracle.requiredFrom = requiredFrom;

    act(bench);
    bench.write(b, { owner: b, epoch: 1 }, '1');
    bench.deliver(b, 1, [old], '1');

    expect(bench.reports).toEqual(reports);
  },
);

// ---- A position that the feed refuses (I5, I8) ----

test.each([
  ['once for each refusal', true, 1, []],
  ['but not twice', true, 2, ['I5']],
  ['but not where the policy says fail', false, 1, ['I5']],
])('[I5] a position goes back after a refusal, %s', (_, mayRewind, times, reports) => {
  const bench = new Bench({ mayRewind });
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, bench.commit(3));
  bench.oracle.refused(a, '0');

  for (let i = 0; i < times; i += 1) {
    bench.write(a, { owner: a, epoch: 1, lsn: 3 });
    bench.write(a, { owner: a, epoch: 1, lsn: 1 });
  }

  expect(bench.reports).toEqual(reports);
});

test('[I5] a position goes back only by the one who heard the refusal', () => {
  const bench = new Bench();
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, bench.commit(3));
  bench.write(a, { owner: a, epoch: 1, lsn: 3 });
  bench.oracle.refused(b, '0');

  bench.write(a, { owner: a, epoch: 1, lsn: 1 });

  expect(bench.reports).toEqual(['I5']);
});

test('[I8] what was finished above a refused position comes again, once, also from the next owner', () => {
  const bench = new Bench();
  const [first, second] = bench.commit(2) as [Change, Change];
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, [first]);
  bench.write(a, { owner: a, epoch: 1, lsn: 1 });
  bench.deliver(a, 1, [second]);

  bench.oracle.refused(a, '0');
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, [first]);
  bench.close(a, 1);
  bench.write(a, { owner: b, epoch: 2 });
  bench.deliver(b, 2, [second]);
  expect(bench.reports).toEqual([]);
  bench.deliver(b, 2, [first]);

  expect(bench.reports).toEqual(['I8']);
});

test('[I8] what was stored after a refusal does not come again', () => {
  const bench = new Bench();
  const [first] = bench.commit(1) as [Change];
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, [first]);
  bench.write(a, { owner: a, epoch: 1, lsn: 1 });

  bench.oracle.refused(a, '0');
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, [first]);
  bench.write(a, { owner: a, epoch: 1, lsn: 1 });
  bench.nowMs += expirationMs;
  bench.write(b, { owner: b, epoch: 2, lsn: 1 });
  expect(bench.reports).toEqual([]);
  bench.deliver(b, 2, [first]);

  expect(bench.reports).toEqual(['I8']);
});

// ---- A stop whose time is over (I8) ----

test.each([
  ['may come again where the time of the stop was over', true, []],
  ['does not come again after a clean hand over', false, ['I8']],
])('[I8] what was acknowledged and not stored %s', (_, isAborted, reports) => {
  const bench = new Bench();
  const changes = bench.commit(1);
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, changes);

  bench.close(a, 1, isAborted);
  bench.write(a, { owner: b, epoch: 2 });
  bench.deliver(b, 2, changes);

  expect(bench.reports).toEqual(reports);
});

// ---- A lease that somebody has copied (I3, I8, I9) ----

test.each([
  ['while both copies are there', 0, []],
  ['just before those who worked on the other have noticed', expirationMs - 1, []],
  ['later', expirationMs, ['I8']],
])('[I8] what was acknowledged under one copy comes again under the other %s', (_, afterMs, reports) => {
  const bench = new Bench();
  const changes = bench.commit(1);
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, changes);
  bench.close(a, 1);
  bench.oracle.doubled('0');
  bench.write(undefined, { owner: a, epoch: 1 }, '0', 'two');

  if (afterMs > 0) bench.remove(b, '0', 'two');
  bench.nowMs += afterMs;
  bench.write(a, { owner: b, epoch: 2 });
  bench.deliver(b, 2, changes);

  expect(bench.reports).toEqual(reports);
});

test('[I8] the epochs of a copy that is gone are not those of the tombstone beside it', () => {
  const bench = new Bench();
  const [first, second] = bench.commit(2) as [Change, Change];
  bench.write(a, { owner: a, epoch: 1 });
  bench.oracle.doubled('0');
  bench.write(undefined, { owner: a, epoch: 1 }, '0', 'two');
  bench.nowMs += expirationMs;
  bench.write(b, { owner: b, epoch: 2 }, '0', 'two');
  for (const change of [first, second]) bench.oracle.resolved(change);
  bench.write(c, { owner: c, epoch: 2, lsn: 2 });
  bench.write(c, { epoch: 2, lsn: 2, isTombstone: true });

  bench.remove(undefined, '0', 'two');
  bench.deliver(b, 2, [second]);
  expect(bench.reports).toEqual([]);
  bench.deliver(c, 2, [second]);

  expect(bench.reports).toEqual(['I8']);
});

test.each<[string, (bench: Bench) => void, string[]]>([
  ['that nobody has taken', () => {}, ['I9']],
  ['that somebody has deleted', (bench) => bench.remove(undefined), []],
  ['that another has taken', (bench) => bench.write(b, { owner: b, epoch: 2 }), []],
  [
    'of which there are two',
    (bench) => {
      bench.oracle.doubled('0');
    },
    [],
  ],
  [
    'of a process that has a twin',
    (bench) => {
      bench.twin = a;
    },
    [],
  ],
])('[I9] a lease is given up as lost %s', (_, act, reports) => {
  const bench = new Bench();
  bench.write(a, { owner: a, epoch: 1 });
  bench.deliver(a, 1, bench.commit(1));

  act(bench);
  bench.close(a, 1, false, 'lease-lost');

  expect(bench.reports).toEqual(reports);
});

// ---- A lease that somebody has deleted (I6) ----

test.each([
  ['is borne for a while', 5000, 4999, true, []],
  ['is borne no longer', 5000, 5000, true, ['I6']],
  ['that nobody announced is not borne', 0, 0, true, ['I6']],
  ['that a host made is not borne', 5000, 0, false, ['I6']],
])('[I6] a hole %s', (_, bornMs, afterMs, isByHand, reports) => {
  const bench = new Bench();
  bench.write(a, { owner: a, epoch: 1 });
  bench.oracle.isBootstrapped = true;

  bench.oracle.bearHoles(bornMs);
  bench.nowMs += afterMs;
  bench.remove(isByHand ? undefined : a);

  expect(bench.reports).toEqual(reports);
});

test('[I6] a hole is borne where a lease was deleted by hand, and not beside it', () => {
  const bench = new Bench();
  const [low, high] = [
    { min: '', max: '20' },
    { min: '20', max: 'FF' },
  ];
  bench.write(a, { owner: a, epoch: 1, keys: low }, '0');
  bench.write(b, { owner: b, epoch: 1, keys: high }, '1');
  bench.oracle.isBootstrapped = true;
  bench.oracle.bearHoles(5000);

  bench.remove(undefined, '0');
  expect(bench.reports).toEqual([]);
  bench.remove(b, '1');

  expect(bench.reports).toEqual(['I6']);
});
