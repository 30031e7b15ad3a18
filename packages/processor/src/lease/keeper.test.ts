import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import type { Call, Fault } from '../../test/core/faulty-store.ts';
import { FaultyStore, forbidden, open, throttled, tooLarge } from '../../test/core/faulty-store.ts';
import { leaseSettings } from '../../test/core/small-group.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import type { AcquireParts } from './acquire.ts';
import { acquireLease, createLease } from './acquire.ts';
import { readLease } from './dotnet-lease.ts';
import { leaseRules, makeHolder } from './holder.ts';
import { Keeper } from './keeper.ts';
import type { Lease } from './lease.ts';
import { StoreLoad } from './store-load.ts';

const prefix = 'p..';

class Bench {
  readonly clock = new VirtualClock();
  readonly random = (): number => 0.5;
  readonly memory = new MemoryDocumentStore({ clock: this.clock });
  readonly store = new FaultyStore(this.memory);
  readonly edits: (string | undefined)[] = [];
  readonly failures: unknown[] = [];

  parts(instance: string, nonce: string): AcquireParts {
    return {
      clock: this.clock,
      random: this.random,
      store: this.store,
      leasesPrefix: prefix,
      holder: makeHolder(instance, nonce),
      rules: leaseRules,
      stamp: () => '2026-01-01T00:00:00.000Z',
      signal: new AbortController().signal,
    };
  }

  async create(): Promise<void> {
    await createLease(this.parts('nobody', 'n0'), {
      id: 'p..0',
      token: '0',
      kind: 'physical',
      keys: { min: '', max: 'FF' },
      owner: undefined,
      position: undefined,
      mode: 'latest',
      epochMin: 0,
      timestamp: '',
    });
  }

  async acquire(instance: string, nonce: string): Promise<Keeper> {
    const parts = this.parts(instance, nonce);
    const acquired = await acquireLease(parts, await this.lease(), {
      keys: { min: '', max: 'FF' },
      position: undefined,
    });
    if (acquired === undefined) throw new Error('somebody was faster');
    const keeper = new Keeper(
      {
        ...parts,
        settings: leaseSettings,
        load: new StoreLoad(this),
        onWritten: () => {},
        onReset: async () => {},
        onFailed: (error) => this.failures.push(error),
        onEdited: (found) => this.edits.push(found),
      },
      acquired.lease,
      acquired.epoch,
      acquired.sentAtMs,
    );
    void keeper.run();
    return keeper;
  }

  async lease(): Promise<Lease> {
    const stored = await this.memory.read('p..0');
    return readLease(stored as NonNullable<typeof stored>, prefix) as Lease; // Created by every test.
  }

  /** The next call of this kind meets the fault, once. */
  next(operation: Call['operation'], fault: Fault): void {
    let isOver = false;
    this.store.fault = (call) => {
      if (isOver || call.operation !== operation) return undefined;
      isOver = true;
      return fault;
    };
  }
}

async function bench(): Promise<Bench> {
  const made = new Bench();
  await made.create();
  return made;
}

describe('the keeper of a lease', () => {
  test('[I5] a renewal does not store what was offered before the last checkpoint', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');

    keeper.offer('{"opaque":1}');
    await keeper.checkpoint('{"opaque":2}');
    await world.clock.advance(40_000);

    expect((await world.lease()).position).toBe('{"opaque":2}');
    keeper.close();
  });

  test('renews, and a checkpoint counts as a renewal', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');

    await world.clock.advance(16_000);
    await keeper.checkpoint('"1"');
    const before = world.store.writes('p..0').length;
    await world.clock.advance(16_000);
    const idle = world.store.writes('p..0').length - before;
    await world.clock.advance(2000);

    expect(idle).toBe(0);
    expect(world.store.writes('p..0').length - before).toBe(1);
    expect(keeper.isHeld()).toBe(true);
    keeper.close();
  });

  test('[S13] [D12] one write is in flight at a time, and later checkpoints stand for earlier ones', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    const before = world.store.writes('p..0').length;

    await Promise.all(Array.from({ length: 50 }, (_, i) => keeper.checkpoint(`"${i + 1}"`)));

    expect(world.store.writes('p..0').length - before).toBeLessThanOrEqual(2);
    expect((await world.lease()).position).toBe('"50"');
    keeper.close();
  });

  test('[S14] a write whose answer was lost is known again', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');

    world.next('replace', 'lose-answer');
    const stored = keeper.checkpoint('"7"');
    await world.clock.advance(11_000);
    await stored;

    expect(keeper.position).toBe('"7"');
    expect(keeper.isHeld()).toBe(true);
    expect(world.store.writes('p..0').filter(({ body }) => body?.['ContinuationToken'] === '"7"')).toHaveLength(1);
    keeper.close();
  });

  test('[S14] the lease is held from the sending of the write, not from its discovery', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    await world.clock.advance(5000);
    const sentAtMs = world.clock.monotonicMs();

    world.next('replace', 'lose-answer');
    const stored = keeper.checkpoint('"7"');
    await world.clock.advance(11_000);
    await stored;

    expect(keeper.heldUntilMs).toBe(sentAtMs + leaseSettings.expirationMs - leaseSettings.fenceMarginMs);
    keeper.close();
  });

  test('[D3] [S30] a twin of the same name cannot move the position of the other', async () => {
    const world = await bench();
    const slow = await world.acquire('a', 'first');
    await slow.checkpoint('"3"');
    const fast = await world.acquire('a', 'second');
    await fast.checkpoint('"10"');

    await expect(slow.checkpoint('"4"')).rejects.toMatchObject({ code: 'lease-lost' });

    expect((await world.lease()).position).toBe('"10"');
    expect((await world.lease()).mark?.epoch).toBe(2);
    fast.close();
  });

  test('[I5] the position never goes back', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    await keeper.checkpoint('"10"');

    await keeper.checkpoint('"9"');
    await Promise.all([keeper.checkpoint('"12"'), keeper.checkpoint('"11"')]);

    expect((await world.lease()).position).toBe('"12"');
    keeper.close();
  });

  test('[F4] [D2] [S5] a lease that cannot be renewed is over before another host may take it', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    world.store.fault = () => 'hang';

    await world.clock.advance(leaseSettings.expirationMs - leaseSettings.fenceMarginMs - 1);
    const before = keeper.isHeld();
    await world.clock.advance(1);

    expect(before).toBe(true);
    expect(keeper.isHeld()).toBe(false);
    expect(await keeper.ended).toEqual({ kind: 'fenced' });
    await expect(keeper.checkpoint('"1"')).rejects.toMatchObject({ code: 'fenced' });
  });

  test('[S10] a store that throttles for 40 seconds costs no lease', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    world.store.fault = ({ operation }) => (operation === 'replace' ? throttled : undefined);
    const stored = keeper.checkpoint('"1"');

    await world.clock.advance(40_000);
    world.store.fault = () => undefined;
    await world.clock.advance(6000);
    await stored;

    expect(keeper.isHeld()).toBe(true);
    expect(world.store.writes('p..0').length).toBeLessThan(40);
    keeper.close();
  });

  test('[S12] [S63] a checkpoint that the store refuses stays undone and is tried again', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    world.store.fault = ({ operation }) => (operation === 'replace' ? tooLarge : undefined);
    let isStored = false;
    const stored = keeper.checkpoint('"1"').then(() => {
      isStored = true;
    });

    await world.clock.advance(10_000);
    const before = isStored;
    world.store.fault = () => undefined;
    await world.clock.advance(10_000);
    await stored;

    expect(before).toBe(false);
    expect(world.failures).not.toEqual([]);
    keeper.close();
  });

  test('[S64] refused credentials fence it, without a hot loop', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    const before = world.store.calls.length;
    world.store.fault = () => forbidden;

    await world.clock.advance(60_000);

    expect(await keeper.ended).toEqual({ kind: 'fenced' });
    expect(world.store.calls.length - before).toBeLessThan(60);
  });

  test('[S14] [I11] a store that reads and leaves every write open is asked ever less often, and costs no lease', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    const before = world.store.calls.length;
    world.store.leaveWritesOpen(1000);
    const stored = keeper.checkpoint('"1"');

    await world.clock.advance(40_000);
    const calls = world.store.calls.slice(before);
    world.store.fault = () => undefined;
    await world.clock.advance(6000);
    await stored;

    expect(calls.length).toBeLessThan(40);
    expect(calls.map(({ operation }) => operation)).toEqual(calls.map((_, i) => (i % 2 === 0 ? 'replace' : 'read')));
    expect(keeper.isHeld()).toBe(true);
    expect((await world.lease()).position).toBe('"1"');
    keeper.close();
  });

  test.each([
    ['open', open],
    ['throttled', throttled],
  ])('[S10] a store whose writes are %s until shortly before the end costs no lease', async (_, fault) => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    let calls = 0;
    world.store.fault = ({ operation }) => {
      calls += 1;
      if (calls > 1000) return 'hang';
      return operation === 'replace' ? fault : undefined;
    };
    await world.clock.advance(keeper.heldUntilMs - 1000 - world.clock.monotonicMs());

    world.store.fault = () => undefined;
    await world.clock.advance(1000);

    expect(calls).toBeLessThan(50);
    expect(keeper.isHeld()).toBe(true);
    keeper.close();
  });

  test('[I11] a document that somebody changes before each write is not written to in a hot loop', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    let writes = 0;
    world.store.fault = ({ operation }) => {
      if (operation !== 'replace') return undefined;
      writes += 1;
      if (writes > 1000) return 'hang';
      return new DatabaseError('precondition-failed', 'It has changed.');
    };
    const read = world.memory.read.bind(world.memory);
    world.memory.read = async (...args) => {
      const stored = await read(...args);
      return stored === undefined ? undefined : world.memory.put({ ...stored.body, id: stored.id });
    };
    keeper.checkpoint('"1"').catch(() => {});

    await world.clock.advance(40_000);

    expect(writes).toBeLessThan(40);
    keeper.close();
  });

  test('[S35] a position that was edited by hand is put back and told of', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    await keeper.checkpoint('"10"');
    const stored = await world.memory.read('p..0');
    world.memory.put({ ...stored?.body, id: 'p..0', ContinuationToken: '"2"' });

    await keeper.checkpoint('"11"');

    expect(world.edits).toEqual(['"2"']);
    expect((await world.lease()).position).toBe('"11"');
    keeper.close();
  });

  test('[S32] a document that was deleted ends it', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    world.memory.erase('p..0');

    await expect(keeper.checkpoint('"1"')).rejects.toMatchObject({ code: 'lease-lost' });

    expect(await keeper.ended).toEqual({ kind: 'gone' });
  });

  test('[F22] [D9] a renewal carries the idle position', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    keeper.offer('"42"');

    await world.clock.advance(leaseSettings.renewMs + 1);

    expect((await world.lease()).position).toBe('"42"');
    keeper.close();
  });

  test('[F6] a hand over changes owner, epoch and beat in one write', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');
    const before = world.store.writes('p..0').length;

    const isDone = await keeper.finish({ kind: 'hand-over', to: { instance: 'b', nonce: 'nb', beat: 4 } });

    const lease = await world.lease();
    expect(isDone).toBe(true);
    expect(world.store.writes('p..0').length - before).toBe(1);
    expect(lease.owner).toBe('b');
    expect(lease.mark).toMatchObject({ epoch: 2, instance: 'b', nonce: 'nb' });
    expect(lease.properties['tidemark.beat']).toBe('4');
    expect(keeper.isHeld()).toBe(false);
  });

  test('[S14] a release whose answer was lost is known again', async () => {
    const world = await bench();
    const keeper = await world.acquire('a', 'na');

    world.next('replace', 'lose-answer');
    const released = keeper.finish({ kind: 'release' });
    await world.clock.advance(11_000);

    expect(await released).toBe(true);
    expect((await world.lease()).owner).toBeUndefined();
  });
});
