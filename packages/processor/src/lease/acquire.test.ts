import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { FaultyStore, open } from '../../test/core/faulty-store.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import type { AcquireParts, UnmadeLease } from './acquire.ts';
import { acquireLease, createLease } from './acquire.ts';
import { changedLeaseBody, readLease } from './dotnet-lease.ts';
import { leaseRules, makeHolder } from './holder.ts';
import type { Lease } from './lease.ts';

const prefix = 'p..';
const keys = { min: '', max: 'FF' };
const mark = { epoch: 1, instance: 'a', nonce: 'na', writeId: 'w1' };
const free: UnmadeLease = {
  id: 'p..0',
  token: '0',
  kind: 'physical',
  keys,
  owner: undefined,
  position: undefined,
  mode: 'latest',
  epochMin: 0,
  timestamp: '',
};

class Bench {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryDocumentStore({ clock: this.clock });
  readonly store = new FaultyStore(this.memory);
  readonly parts: AcquireParts = {
    clock: this.clock,
    random: () => 0.5,
    store: this.store,
    leasesPrefix: prefix,
    holder: makeHolder('a', 'na'),
    rules: leaseRules,
    stamp: () => '2026-01-01T00:00:00.000Z',
    signal: new AbortController().signal,
  };

  async lease(): Promise<Lease> {
    const stored = await this.memory.read('p..0');
    return readLease(stored as NonNullable<typeof stored>, prefix) as Lease; // Created by every test.
  }

  /** Every replace is left open; it was done or not. */
  leaveOpen(isDone: boolean): void {
    this.store.fault = ({ operation, id, body }) => {
      if (operation !== 'replace') return undefined;
      if (isDone) this.memory.put({ ...body, id });
      return open;
    };
  }
}

test('[S14] a lease whose taking stayed open and that is as it was rejects: nobody was faster', async () => {
  const bench = new Bench();
  await createLease(bench.parts, free);
  bench.leaveOpen(false);

  const taken = acquireLease(bench.parts, await bench.lease(), { keys, position: undefined });

  await expect(taken).rejects.toBe(open);
});

test('[S14] a lease whose taking stayed open and was done is taken', async () => {
  const bench = new Bench();
  await createLease(bench.parts, free);
  bench.leaveOpen(true);

  const taken = await acquireLease(bench.parts, await bench.lease(), { keys, position: undefined });

  expect(taken).toMatchObject({ epoch: 1, lease: { owner: 'a' } });
});

test('[S14] [I6] a tombstone that could not be made a lease again does not pass for one', async () => {
  const bench = new Bench();
  await createLease(bench.parts, free);
  const lease = await bench.lease();
  const former = { ...mark, writeId: 'w0' };
  const buried = changedLeaseBody(lease, {
    owner: undefined,
    position: undefined,
    mark: former,
    children: [],
    timestamp: '',
  });
  bench.memory.put({ ...buried, id: lease.id });
  bench.leaveOpen(false);

  const created = createLease(bench.parts, { ...free, owner: 'a', epochMin: 1 });

  await expect(created).rejects.toBe(open);
});

test('[I6] a tombstone that is removed while it is made a lease again: the lease is made all the same', async () => {
  const bench = new Bench();
  await createLease(bench.parts, free);
  const lease = await bench.lease();
  const buried = changedLeaseBody(lease, { owner: undefined, mark, children: ['1', '2'], timestamp: '' });
  bench.memory.put({ ...buried, id: lease.id });
  bench.store.fault = ({ operation, id }) => {
    if (operation === 'replace') bench.memory.erase(id);
    return undefined;
  };

  const created = await createLease(bench.parts, { ...free, owner: 'a', epochMin: 1 });

  expect(created).toMatchObject({ epoch: 1, lease: { owner: 'a', isTombstone: false } });
});

test('[I4] [I5] a tombstone becomes a lease one epoch later, and where a note says the position, never before its own', async () => {
  const bench = new Bench();
  for (const [noted, expected] of [
    ['"3"', '"17"'],
    ['"20"', '"20"'],
    [undefined, '"17"'],
  ]) {
    const former = { ...mark, epoch: 4 };
    bench.memory.erase(free.id);
    await createLease(bench.parts, { ...free, position: '"17"' });
    const change = { owner: undefined, position: '"17"', mark: former, children: [], timestamp: '' };
    bench.memory.put({ ...changedLeaseBody(await bench.lease(), change), id: free.id });

    await createLease(bench.parts, { ...free, position: noted, epochMin: 2 });

    expect(await bench.lease()).toMatchObject({ position: expected, mark: { epoch: 5 }, isTombstone: false });
  }
});
