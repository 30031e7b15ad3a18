// Every step of the table is taken once by a real tenure, whatever faults it would need outside.

import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { FaultyStore } from '../../test/core/faulty-store.ts';
import { SmallFeed } from '../../test/core/small-feed.ts';
import { someSettings } from '../../test/core/small-group.ts';
import type { Acquired, AcquireParts } from '../lease/acquire.ts';
import { acquireLease, createLease } from '../lease/acquire.ts';
import { readLease } from '../lease/dotnet-lease.ts';
import { makeHolder } from '../lease/holder.ts';
import type { Lease } from '../lease/lease.ts';
import { StoreLoad } from '../lease/store-load.ts';
import type { PumpEnd } from '../pump/pump.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { Health } from './health.ts';
import { hostRules } from './rules.ts';
import { Tenure } from './tenure.ts';
import type { DrainOrder, Redirection, TenureParts } from './tenure-parts.ts';
import type { TenureEvent, TenureState } from './tenure-states.ts';
import { tenureTable } from './tenure-states.ts';

/** Something that the tenure waits for and the test decides. */
class Decision<T> {
  promise!: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.renew();
  }

  renew(): void {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => {});
  }
}

class Stage {
  readonly clock = new VirtualClock();
  readonly random = (): number => 0.5;
  readonly memory = new MemoryDocumentStore({ clock: this.clock });
  readonly store = new FaultyStore(this.memory);
  readonly opening = new Decision<void>();
  readonly closing = new Decision<void>();
  readonly pumping = new Decision<PumpEnd>();
  readonly redirecting = new Decision<Redirection>();
  readonly steps: string[] = [];
  readonly calls: string[] = [];
  superseded: readonly Acquired[] | undefined = [];
  tenure!: Tenure;

  async begin(): Promise<void> {
    const settings = someSettings('a');
    const parts: AcquireParts = {
      clock: this.clock,
      random: this.random,
      store: this.store,
      leasesPrefix: 'p..',
      holder: makeHolder('a', 'n'),
      rules: hostRules,
      stamp: () => '',
      signal: new AbortController().signal,
    };
    const keys = { min: '', max: 'FF' };
    const facts = { id: 'p..0', token: '0', kind: 'physical', keys, mode: 'latest', timestamp: '' } as const;
    await createLease(parts, { ...facts, owner: undefined, position: undefined, epochMin: 0 });
    const stored = await this.memory.read('p..0');
    const lease = readLease(stored as NonNullable<typeof stored>, 'p..') as Lease; // Just created.
    const acquired = await acquireLease(parts, lease, { keys, position: undefined });
    if (acquired === undefined) throw new Error('nobody else is here');
    const none = (): void => {};
    const keeper = {
      ...parts,
      settings: settings.lease,
      load: new StoreLoad(this),
      onWritten: none,
      onReset: async () => {},
      onFailed: none,
      onEdited: none,
    };
    this.tenure = new Tenure({ ...this.#parts(settings), keeper }, acquired);
    this.tenure.start();
    await this.settle();
  }

  #parts(settings: TenureParts['settings']): Omit<TenureParts, 'keeper'> {
    return {
      clock: this.clock,
      random: this.random,
      settings,
      source: new SmallFeed(),
      makePump: (_, { signal }) => ({
        stored: undefined,
        run: () => {
          this.calls.push('run');
          void signal;
          return this.pumping.promise;
        },
        drain: () => {},
      }),
      observer: {
        open: () => {
          this.calls.push('open');
          return this.opening.promise;
        },
        close: () => {
          this.calls.push('close');
          return this.closing.promise;
        },
      },
      emit: () => {},
      health: new Health(() => {}),
      rules: { ...hostRules, onStep: (state, event, step) => this.steps.push(`${state} ${event} ${step}`) },
      firstStart: async () => 'beginning',
      redirect: () => this.redirecting.promise,
      supersede: async () => this.superseded,
      onHalted: () => {},
      onHaltAll: () => {},
      isTakeover: false,
      life: new AbortController().signal,
      turn: () => 0,
      memory: () => ({ load: async () => undefined, save: async () => {} }),
    };
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 5; i += 1) await this.clock.nextTurn();
  }

  drain(abortInMs = 1e6, disposal: DrainOrder['disposal'] = { kind: 'release' }): void {
    const nowMs = this.clock.monotonicMs();
    this.tenure.drain({
      reason: 'shutdown',
      disposal,
      abortAtMs: nowMs + abortInMs,
      endAtMs: nowMs + 2e6,
    });
  }

  async lose(): Promise<void> {
    const stored = await this.memory.read('p..0');
    this.memory.put({ ...stored?.body, id: 'p..0', Owner: 'b', properties: {} });
    await this.tenure.keeper.checkpoint('"9"').catch(() => {});
  }

  async fence(ms = 60_000): Promise<void> {
    this.store.fault = () => 'hang';
    await this.clock.advance(ms);
  }
}

type Act = (stage: Stage) => Promise<void> | void;

const end =
  (made: PumpEnd): Act =>
  ({ pumping }) =>
    pumping.resolve(made);
const failure = new DatabaseError('unavailable', 'away');

const events: Record<TenureEvent, Act> = {
  opened: ({ opening }) => opening.resolve(),
  'open-failed': ({ opening }) => opening.reject(new Error('no connection')),
  drained: end({ kind: 'drained' }),
  gone: end({ kind: 'gone' }),
  refused: end({ kind: 'feed-failed', error: new DatabaseError('invalid-continuation', 'unknown') }),
  halted: end({ kind: 'halted', scope: 'range', error: failure }),
  'feed-failed': end({ kind: 'feed-failed', error: failure }),
  aborted: end({ kind: 'aborted', error: failure }),
  drain: (stage) => stage.drain(),
  pause: ({ tenure }) => tenure.pause(),
  resume: ({ tenure }) => tenure.resume(),
  lost: (stage) => stage.lose(),
  fenced: (stage) => stage.fence(),
  overdue: async (stage) => {
    if (stage.tenure.state !== 'aborting') stage.drain(1000);
    await stage.clock.advance(10_000);
  },
  redirected: ({ redirecting }) => redirecting.resolve({ kind: 'same' }),
  replaced: ({ redirecting }) => redirecting.resolve({ kind: 'replaced', successors: [], tokens: ['1', '2'] }),
  stuck: async ({ redirecting, clock, tenure }) => {
    redirecting.reject(failure);
    if (tenure.state === 'redirecting') await clock.advance(120_000);
  },
  barred: ({ redirecting }) => redirecting.resolve({ kind: 'barred', problem: 'position-refused', message: 'no' }),
  closed: ({ closing }) => closing.resolve(),
};

const opened: Act = async (stage) => {
  stage.opening.resolve();
  await stage.settle();
};
const then =
  (...acts: Act[]): Act =>
  async (stage) => {
    for (const act of acts) {
      await act(stage);
      await stage.settle();
    }
  };
const early = new Set<TenureEvent>(['opened', 'open-failed']);
const found = new Set<TenureEvent>(['redirected', 'replaced', 'stuck', 'barred']);

/** How a tenure comes to the state in which the event can happen. */
function wayTo(state: TenureState, event: TenureEvent): Act {
  const begun = early.has(event) ? then() : opened;
  switch (state) {
    case 'opening':
      return then();
    case 'running':
      return opened;
    case 'draining':
      return event === 'overdue' ? opened : then(begun, events.drain);
    case 'pausing':
      return then(begun, events.pause);
    case 'aborting':
      return found.has(event) ? then(opened, events.gone, events.lost) : then(begun, events.lost);
    case 'redirecting':
      return then(opened, events.gone);
    case 'parking':
      // The observer is not waited for as long as a lease lives: its time must be nearly over.
      return event === 'fenced'
        ? then(opened, (stage) => stage.fence(50_000), events.halted)
        : then(opened, events.halted);
    case 'parked':
      return then(opened, events.halted, events.closed);
    case 'closing':
      return then(opened, events['feed-failed']);
    case 'ended':
      return then(opened, events['feed-failed'], events.closed);
  }
}

// The type of the table guarantees its keys.
const states = Object.keys(tenureTable) as TenureState[];
const steps = states.flatMap((state) =>
  (Object.keys(tenureTable[state]) as TenureEvent[])
    .map((event) => ({ state, event, step: tenureTable[state][event] }))
    .filter(({ step }) => step !== '-' && step !== '!'),
);

describe('a tenure', () => {
  test.each(steps)('[I10] in $state, $event leads to $step, and every open has its close', async (each) => {
    const { state, event, step } = each;
    const stage = new Stage();
    await stage.begin();
    await wayTo(state, event)(stage);
    await stage.settle();

    await events[event](stage);
    await stage.settle();

    expect(stage.steps).toContain(`${state} ${event} ${step}`);
    stage.drain(0);
    stage.opening.resolve();
    stage.closing.resolve();
    stage.pumping.resolve({ kind: 'drained' });
    stage.redirecting.resolve({ kind: 'same' });
    await stage.clock.advance(100_000);
    expect(stage.tenure.state).toBe('ended');
    expect(stage.calls.filter((call) => call === 'close').length).toBe(
      stage.calls.filter((call) => call === 'open').length,
    );
    expect(stage.steps.filter((taken) => taken.endsWith('!'))).toEqual([]);
  });

  test('[I11] told to end while it is redirected, it ends although its position is refused', async () => {
    const stage = new Stage();
    await stage.begin();
    await then(opened, events.refused, events.drain, events.barred, events.closed)(stage);
    await stage.settle();

    expect(stage.steps).toContain('parking drain closing');
    expect(stage.tenure.state).toBe('ended');
    expect((await stage.memory.read('p..0'))?.body['Owner']).toBeNull();
  });

  test('[I6] what was made for the rest of the keys of a lease that gives way is begun when it has ended', async () => {
    const stage = new Stage();
    await stage.begin();
    await opened(stage);
    stage.superseded = [stage.tenure.acquired];

    stage.drain(0, { kind: 'supersede' });
    stage.pumping.resolve({ kind: 'drained' });
    await then(events.closed)(stage);

    expect((await stage.tenure.done).successors).toBe(stage.superseded);
  });

  test('[I10] a pump that ends in the moment in which the lease is lost ends as aborted', async () => {
    const stage = new Stage();
    await stage.begin();
    await opened(stage);

    stage.drain(0);
    stage.pumping.resolve({ kind: 'drained' });
    await then(events.closed)(stage);

    expect(stage.steps.filter((step) => step.endsWith('!'))).toEqual([]);
  });
});
