// Ends: stop, pause, halt, hung handlers and stores.

import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { FaultyStore, unavailable } from './faulty-store.ts';
import { leasePrefix, SmallGroup } from './small-group.ts';
import { Halt, Hung } from './small-pump.ts';

describe('stopping', () => {
  test('[S55] [F30] [D16] returns by its deadline when a handler hangs and ignores its signal', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a', { handle: () => new Promise(() => {}) });
    group.feed.write('10');
    await group.clock.advance(3000);
    const atMs = group.clock.monotonicMs();

    await group.during(host.processor.stop({ drainMs: 5000 }));

    expect(group.clock.monotonicMs() - atMs).toBeLessThanOrEqual(5000);
    expect(host.processor.state).toBe('stopped');
  });

  test('[S28] a range whose handler does not obey is not given to another before its lease runs out', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a', { handle: () => new Promise(() => {}) });
    group.feed.write('10');
    await group.clock.advance(3000);

    await group.during(a.processor.stop({ drainMs: 5000 }));

    const owners = (await group.leases()).map(({ token, owner }) => `${token} ${owner}`);
    expect(owners).toEqual(['0 a', '1 null']);
    const message = expect.stringMatching(/The process lives until it returns; .*Ctrl-C once more ends it/);
    expect(a.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'handler-hung', message }));
    const b = await group.started('b');
    await group.clock.advance(90_000);
    expect(b.delivered).toHaveLength(1);
    await group.during(b.processor.stop());
  });

  test('[S28] nor does the same host take it again before that', async () => {
    const group = new SmallGroup(1);
    const calls: number[] = [];
    const a = await group.started('a', {
      handle: () => {
        calls.push(group.clock.monotonicMs());
        throw new Hung();
      },
    });
    group.feed.write('10');

    await group.clock.advance(200_000);

    expect(calls.length).toBeGreaterThan(1);
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(60_000);
    await group.during(a.processor.stop());
  });

  test.each([Number.NaN, '100' as never])('[S55] a deadline that is no number, %s, is refused', async (drainMs) => {
    const group = new SmallGroup(1);
    const host = await group.started('a');

    await expect(host.processor.stop({ drainMs })).rejects.toMatchObject({ code: 'invalid-option' });
    await group.during(host.processor.stop({ drainMs: 5000 }));

    expect(host.processor.state).toBe('stopped');
  });

  test('[S55] [D16] returns by its deadline when the store hangs', async () => {
    const group = new SmallGroup(2);
    const store = new FaultyStore(group.store);
    const host = await group.started('a', { store });
    store.fault = () => 'hang';
    const atMs = group.clock.monotonicMs();

    await group.during(host.processor.stop({ drainMs: 5000 }));

    expect(group.clock.monotonicMs() - atMs).toBeLessThanOrEqual(5000);
    await group.clock.advance(60_000);
    expect(group.clock.sleeperCount).toBe(0);
  });

  test('says after two seconds that it waits for a lease store that has failed for long, and when it ends', async () => {
    const group = new SmallGroup(1);
    const store = new FaultyStore(group.store);
    const host = await group.started('a', { store });
    store.fault = () => unavailable;
    await group.clock.advance(30_000);
    const before = host.events.length;

    await group.during(host.processor.stop({ drainMs: 20_000 }));

    const told = host.events.slice(before).filter((event) => 'problem' in event && event.problem === 'stop-waits');
    expect(told).toMatchObject([
      {
        type: 'health',
        message:
          'The stop waits for the lease store memory/leases, which fails: Not now. It ends within 18 s in any case; drainMs says how long it may take.',
      },
      { type: 'healthy' },
    ]);
    expect(host.processor.status.problems).not.toContainEqual(expect.objectContaining({ problem: 'stop-waits' }));
  });

  test('says which ranges it waits for, and nothing when it is done soon', async () => {
    const group = new SmallGroup(2);
    const busy = await group.started('a', { handle: ({ context }) => context.clock.sleep(5000) });
    group.feed.write('10');
    await group.clock.advance(1000);

    await group.during(busy.processor.stop());
    const idle = await group.started('b');
    await group.during(idle.processor.stop());

    const words = ({ events }: typeof busy): string[] =>
      events.flatMap((event) => (event.type === 'health' && event.problem === 'stop-waits' ? [event.message] : []));
    expect(words(busy)).toEqual([expect.stringContaining('The stop waits for what is in flight in range 0. It ends')]);
    expect(words(idle)).toEqual([]);
  });

  test('[S55] [S56] a handler that obeys is aborted in time, and its lease is released without a checkpoint', async () => {
    const group = new SmallGroup(1);
    const host = await group.started('a', {
      handle: async ({ context }) => {
        await context.clock.sleep(30_000, context.signal);
        context.signal.throwIfAborted();
      },
    });
    group.feed.write('10');
    await group.clock.advance(3000);

    await group.during(host.processor.stop({ drainMs: 5000 }));

    expect(host.delivered).toEqual([]);
    expect(await group.leases()).toEqual([expect.objectContaining({ owner: null })]);
    const other = await group.started('b');
    await group.clock.advance(2000);
    expect(other.delivered).toHaveLength(1);
    await group.during(other.processor.stop());
  });

  test('[S55] twice, and with a signal that hurries it', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a', {
      handle: async ({ context }) => {
        await context.clock.sleep(20_000, context.signal);
      },
    });
    group.feed.write('10');
    await group.clock.advance(3000);
    const hurry = new AbortController();
    const atMs = group.clock.monotonicMs();

    const first = host.processor.stop({ drainMs: 15_000, signal: hurry.signal });
    const second = host.processor.stop({ drainMs: 15_000 });
    await group.clock.advance(1000);
    hurry.abort();
    await group.during(Promise.all([first, second]));

    expect(group.clock.monotonicMs() - atMs).toBeLessThan(3000);
    expect(host.events.filter(({ type }) => type === 'stopped')).toHaveLength(1);
  });

  test('[I10] every open has one close, and nothing is delivered after it', async () => {
    const group = new SmallGroup(3);
    const calls: string[] = [];
    const host = await group.started('a', {
      observer: {
        open: ({ leaseToken }) => void calls.push(`open ${leaseToken}`),
        close: ({ leaseToken }, reason) => void calls.push(`close ${leaseToken} ${reason}`),
      },
      handle: ({ lease }) => void calls.push(`changes ${lease.leaseToken}`),
    });
    group.feed.write('10');
    await group.clock.advance(3000);

    await group.during(host.processor.stop());

    expect(calls.filter((call) => call.startsWith('open'))).toHaveLength(3);
    expect(calls.filter((call) => call.startsWith('close'))).toHaveLength(3);
    expect(calls.slice(-3).every((call) => call.endsWith('shutdown'))).toBe(true);
  });

  test('an observer that cannot open is closed once, and the range is tried again later', async () => {
    const group = new SmallGroup(1);
    const calls: string[] = [];
    let isBroken = true;
    const host = await group.started('a', {
      observer: {
        open: () => {
          calls.push('open');
          if (isBroken) throw new Error('no connection');
        },
        close: (_, reason) => void calls.push(`close ${reason}`),
      },
    });
    isBroken = false;
    group.feed.write('10');
    await group.clock.advance(20_000);

    expect(calls.slice(0, 2)).toEqual(['open', 'close handler-failed']);
    expect(host.delivered).toHaveLength(1);
    await group.during(host.processor.stop());
    expect(calls.filter((call) => call === 'open').length).toBe(calls.filter((call) => call !== 'open').length);
  });
});

describe('pausing', () => {
  test('[S42] [F16] every host stops reading, and goes on exactly there', async () => {
    const group = new SmallGroup(4);
    const a = await group.started('a');
    const b = await group.started('b');
    await group.clock.advance(15_000);
    for (const key of ['10', '50', '90', 'D0']) group.feed.write(key);
    await group.clock.advance(3000);

    await group.during(a.processor.pause('maintenance'));
    await group.clock.advance(15_000);
    for (const key of ['10', '50', '90', 'D0']) group.feed.write(key);
    await group.clock.advance(300_000);
    const before = group.delivered.length;
    const owners = (await group.leases()).map(({ owner }) => owner);
    await group.during(b.processor.resume());
    await group.clock.advance(20_000);

    expect(before).toBe(4);
    expect(group.delivered).toHaveLength(8);
    expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(8);
    expect((await group.leases()).map(({ owner }) => owner)).toEqual(owners);
    expect(a.processor.status.isPaused).toBe(false);
    expect(b.events.filter(({ type }) => type === 'paused')).toHaveLength(1);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
    expect(group.impossible).toEqual([]);
  });

  test('[S42] ranges of a host that died while the group was paused are taken after the resume', async () => {
    const group = new SmallGroup(4);
    const cut = new FaultyStore(group.store);
    const a = await group.started('a', { store: cut });
    const b = await group.started('b');
    await group.clock.advance(15_000);
    await group.during(b.processor.pause());
    await group.clock.advance(5000);
    cut.fault = () => 'hang';

    await group.clock.advance(120_000);
    await group.during(b.processor.resume());
    for (const key of ['10', '50', '90', 'D0']) group.feed.write(key);
    await group.clock.advance(80_000);

    expect(b.delivered).toHaveLength(4);
    await group.during(Promise.all([a.processor.stop({ drainMs: 100 }), b.processor.stop()]));
  });

  test('halt-range keeps the lease and stands still until a resume', async () => {
    const group = new SmallGroup(2);
    let isPoisoned = true;
    const host = await group.started('a', {
      handle: ({ lease }) => {
        if (isPoisoned && lease.leaseToken === '0') throw new Halt('range');
      },
    });
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(300_000);
    const before = host.delivered.length;
    const owners = (await group.leases()).map(({ owner }) => owner);

    isPoisoned = false;
    await group.during(host.processor.resume());
    await group.clock.advance(3000);

    expect(before).toBe(1);
    expect(owners).toEqual(['a', 'a']);
    expect(host.delivered).toHaveLength(2);
    await group.during(host.processor.stop());
    expect(group.impossible).toEqual([]);
  });

  test('halt-all pauses the group with the error as its reason', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a', {
      handle: ({ lease }) => {
        if (lease.leaseToken === '0') throw new Halt('all');
      },
    });
    group.feed.write('10');
    await group.clock.advance(5000);
    group.feed.write('90');
    await group.clock.advance(20_000);

    expect(host.delivered).toEqual([]);
    expect(host.processor.status).toMatchObject({ isPaused: true });
    expect(host.processor.status.pauseReason).toContain('halt all');
    expect((await group.store.read(`${leasePrefix}.x.control.`))?.body).toMatchObject({ paused: true });
    await group.during(host.processor.stop());
  });

  test('[S6] a range that cannot be read here is left to another host', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a', { pump: { stallMs: 5000 } });
    group.feed.failures.set('0', new Error('unreachable'));

    await group.clock.advance(15_000);
    const closed = a.events.filter((event) => event.type === 'range.closed').length;
    group.feed.failures.clear();
    const b = await group.started('b');
    await group.clock.advance(60_000);
    group.feed.write('10');
    await group.clock.advance(5000);

    expect(closed).toBeGreaterThan(0);
    expect(closed).toBeLessThan(10);
    expect(group.delivered).toHaveLength(1);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });

  test('[I13] a range whose feed is not there is told of, until it is read again or another has it', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a');
    const problem = expect.objectContaining({ problem: 'feed-failing', leaseToken: '0' });
    group.feed.failures.set('0', new DatabaseError('container-not-found', 'There is no such container.'));

    await group.clock.advance(5000);
    expect(a.processor.status.problems).toContainEqual(problem);
    group.feed.failures.clear();
    const b = await group.started('b');
    await group.clock.advance(90_000);

    const owner = (await group.leases()).find(({ token }) => token === '0')?.owner;
    expect(owner).toBe('b');
    expect(a.processor.status.problems).not.toContainEqual(problem);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });
});
