// What SPEC's proof that no key is left without a lease rests on: witnesses are read themselves, and what lies beside a lease goes with it.

import type { KeyRange } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { FaultyStore } from '../../test/core/faulty-store.ts';
import { someSettings } from '../../test/core/small-group.ts';
import type { Acquired } from '../lease/acquire.ts';
import { createLease } from '../lease/acquire.ts';
import { readLease } from '../lease/dotnet-lease.ts';
import { makeHolder } from '../lease/holder.ts';
import { Keeper } from '../lease/keeper.ts';
import type { Lease } from '../lease/lease.ts';
import { sidecarId } from '../lease/lease-names.ts';
import { StoreLoad } from '../lease/store-load.ts';
import type { StoredDocument } from '../store/document-store.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { Health } from './health.ts';
import { hostRules } from './rules.ts';
import type { SplitParts } from './split.ts';
import { removeTombstone, replaceLease } from './split.ts';

const names = { prefix: 'p', all: 'p.', leases: 'p..', marker: 'p.info', lock: 'p.lock' };
const children = [
  { id: '1', min: '', max: '80', parents: ['0'] },
  { id: '2', min: '80', max: 'FF', parents: ['0'] },
];
const lease0 = { token: '0', kind: 'physical', keys: { min: '', max: 'FF' } } as const;

class Bench {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryDocumentStore({ clock: this.clock });
  readonly store = new FaultyStore(this.memory);
  readonly parts: SplitParts;

  constructor() {
    this.parts = {
      clock: this.clock,
      random: () => 0.5,
      store: this.store,
      leasesPrefix: names.leases,
      names,
      holder: makeHolder('a', 'n'),
      rules: hostRules,
      stamp: () => '',
      signal: new AbortController().signal,
      health: new Health(() => {}),
      isTombstone: (lease) => hostRules.isTombstone(lease),
      reserve: () => {},
    };
  }

  async lease(token: string, keys: KeyRange = lease0.keys, epochMin = 1): Promise<Acquired> {
    const unmade = {
      ...lease0,
      token,
      keys,
      id: `p..${token}`,
      owner: 'a',
      position: '"5"',
      mode: 'latest',
      timestamp: '',
    } as const;
    const acquired = await createLease(this.parts, { ...unmade, epochMin });
    if (acquired === undefined) throw new Error('nobody else is here');
    return acquired;
  }

  keeperOf({ lease, epoch, sentAtMs }: Acquired): Keeper {
    const none = (): void => {};
    const { lease: settings } = someSettings('a');
    const parts = { ...this.parts, settings, load: new StoreLoad(this.parts) };
    const keeper = new Keeper(
      { ...parts, onWritten: none, onReset: async () => {}, onFailed: none, onEdited: none },
      lease,
      epoch,
      sentAtMs,
    );
    void keeper.run();
    return keeper;
  }

  note(token: string, epoch: number): Promise<StoredDocument> {
    return this.memory.create({ id: sidecarId(names, 'position', token), token, epoch });
  }

  async ids(): Promise<readonly string[]> {
    return (await this.memory.list('p')).map(({ id }) => id).sort();
  }
}

test('[I6] a witness that a list shows and that is gone by now is none: its keys get a lease', async () => {
  const bench = new Bench();
  const { lease: witness } = await bench.lease('1', { min: '', max: '80' });
  const acquired = await bench.lease('0');
  const keeper = bench.keeperOf(acquired);
  const then = await bench.memory.list('p..');
  bench.store.list = async () => then;
  await bench.memory.remove(witness.stored);

  const replacement = await replaceLease(bench.parts, keeper, lease0, children, '"5"');

  expect(replacement?.created.map(({ lease }) => lease.token)).toEqual(['1', '2']);
  expect((await bench.ids()).filter((id) => id.startsWith('p..'))).toEqual(['p..1', 'p..2']);
});

test('[S32] the note of a parent is there as long as any of its successors is not', async () => {
  const bench = new Bench();
  const keeper = bench.keeperOf(await bench.lease('0'));
  await bench.note('0', 1);
  bench.store.fault = ({ operation, id }) =>
    operation === 'create' && id === 'p..2' ? new Error('the store is away') : undefined;

  await expect(replaceLease(bench.parts, keeper, lease0, children, '"5"')).rejects.toThrow();

  expect(await bench.ids()).toEqual(expect.arrayContaining(['p..0', 'p.x.position.0', 'p..1', 'p.x.position.1']));
});

test.each([
  [2, 'goes', false],
  [3, 'goes', false],
  [4, 'stays, for it is of a lease that is about to be', true],
])('[S32] a note of epoch %i beside a tombstone of epoch 3 %s', async (epoch, _, isThere) => {
  const bench = new Bench();
  const { lease } = await bench.lease('0', lease0.keys, 3);
  const properties = { ...(lease.stored.body['properties'] as object), 'tidemark.gone': '1,2' };
  const buried = await bench.memory.replace(lease.stored, { ...lease.stored.body, Owner: null, properties });
  await bench.note('0', epoch);

  await removeTombstone(bench.parts, readLease(buried, names.leases) as Lease); // It was one a moment ago.

  expect(await bench.ids()).toEqual(isThere ? ['p.x.position.0'] : []);
});
