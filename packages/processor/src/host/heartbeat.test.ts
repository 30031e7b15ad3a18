import { retryPauseMsMin } from '@tidemark/client';
import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { FaultyStore, open } from '../../test/core/faulty-store.ts';
import { someSettings } from '../../test/core/small-group.ts';
import { identity } from '../../test/pump-bench.ts';
import { makeHolder } from '../lease/holder.ts';
import { leaseNames, sidecarId } from '../lease/lease-names.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { Heartbeat } from './heartbeat.ts';

const names = leaseNames('group', identity);
const idle = { isLeaving: false, avoided: [], halted: [] };

class Bench {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryDocumentStore({ clock: this.clock });
  readonly store = new FaultyStore(this.memory);
  readonly signal = new AbortController().signal;
  readonly heartbeat = new Heartbeat({
    clock: this.clock,
    random: () => 0.5,
    store: this.store,
    holder: makeHolder('a', 'na'),
    settings: someSettings('a'),
    stamp: () => '2026-01-01T00:00:00.000Z',
  });

  /** The pauses between writes, all of which are left open while `work` is under way. */
  async pausesOf(work: () => Promise<unknown>): Promise<number[]> {
    const atMs: number[] = [];
    this.store.fault = ({ operation }) => {
      if (operation === 'read') return undefined;
      atMs.push(this.clock.monotonicMs());
      return open;
    };
    const failed = expect(work()).rejects.toBe(open);
    await this.clock.advance(60_000);
    await failed;
    return atMs.slice(1).map((ms, i) => ms - (atMs[i] ?? 0));
  }
}

test('[S14] [I11] a heartbeat whose beginning stays open pauses between its tries', async () => {
  const bench = new Bench();

  const pauses = await bench.pausesOf(() => bench.heartbeat.begin(names, bench.signal));

  expect(pauses).toEqual([1, 2, 4].map((times) => times * retryPauseMsMin));
});

test('[S14] [I11] a beat that stays open is tried once more, after a pause', async () => {
  const bench = new Bench();
  await bench.heartbeat.begin(names, bench.signal);

  const pauses = await bench.pausesOf(() => bench.heartbeat.beat(idle, bench.signal));

  expect(pauses).toEqual([retryPauseMsMin]);
});

test('[S14] a beat that was stored although nobody said so is known again', async () => {
  const bench = new Bench();
  await bench.heartbeat.begin(names, bench.signal);
  const stored = await bench.memory.read(sidecarId(names, 'host', 'a'));
  const before = bench.store.calls.length;
  bench.store.fault = ({ operation, id, body }) => {
    if (operation !== 'replace') return undefined;
    bench.memory.put({ ...body, id }, stored?.key);
    return open;
  };

  const isOurs = await bench.heartbeat.beat(idle, bench.signal);

  expect(isOurs).toBe(true);
  expect(bench.heartbeat.storedBeat).toBe(2);
  expect(bench.store.calls.slice(before).map(({ operation }) => operation)).toEqual(['replace', 'read']);
});

test('a heartbeat that was deleted is there again at once', async () => {
  const bench = new Bench();
  await bench.heartbeat.begin(names, bench.signal);
  bench.memory.erase(sidecarId(names, 'host', 'a'));

  await bench.heartbeat.beat(idle, bench.signal);

  expect((await bench.memory.read(sidecarId(names, 'host', 'a')))?.body['nonce']).toBe('na');
});

test('[S14] a heartbeat that could not begin begins when it is asked again, and once it has begun only once', async () => {
  const bench = new Bench();
  await bench.pausesOf(() => bench.heartbeat.begin(names, bench.signal));
  bench.store.fault = () => undefined;

  await bench.heartbeat.begin(names, bench.signal);
  const { version } = bench.memory;
  await bench.heartbeat.begin(names, bench.signal);

  expect((await bench.memory.read(sidecarId(names, 'host', 'a')))?.body['nonce']).toBe('na');
  expect(bench.memory.version).toBe(version);
});
