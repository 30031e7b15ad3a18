// The contract of the store seam of the processor: documents by id, changed by compare-and-swap only.

import type { DocumentStore, StoredDocument } from '@tidemark/processor';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A store on trial, over an empty container. */
export interface StoreUnderTest {
  readonly store: DocumentStore;
  readonly offers: {
    /** A container may be partitioned by `/partitionKey`. */
    readonly foreignKeys: boolean;
    readonly watches: boolean;
  };
  /** Writes as somebody else would, with any partition key; only where foreign keys are offered. */
  writeForeign?(body: { readonly id: string; readonly partitionKey: string }): Promise<void>;
  close(): Promise<void>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

export function documentStoreContract(name: string, make: MakeStore): void {
  describe(`the store seam: ${name}`, () => {
    let trial: StoreUnderTest;
    let store: DocumentStore;

    beforeEach(async () => {
      trial = await make();
      ({ store } = trial);
    });
    afterEach(() => trial.close());

    test('a document is created once, read, replaced and removed', async () => {
      const created = await store.create({ id: 'a', n: 1, nested: { x: [1, 'é'] } });
      await expect(store.create({ id: 'a', n: 2 })).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.read('a')).toEqual(created);
      expect(created).toMatchObject({ id: 'a', key: 'a', body: { id: 'a', n: 1, nested: { x: [1, 'é'] } } });

      const replaced = await store.replace(created, { ...created.body, n: 3 });
      expect(replaced.etag).not.toBe(created.etag);
      expect(await store.read('a')).toEqual(replaced);

      await store.remove(replaced);
      expect(await store.read('a')).toBeUndefined();
      expect(await store.list('a')).toEqual([]);
    });

    test('what has changed meanwhile is neither replaced nor removed', async () => {
      const created = await store.create({ id: 'a', n: 1 });
      const newer = await store.replace(created, { id: 'a', n: 2 });

      await expect(store.replace(created, { id: 'a', n: 3 })).rejects.toMatchObject({ code: 'precondition-failed' });
      await expect(store.remove(created)).rejects.toMatchObject({ code: 'precondition-failed' });
      expect((await store.read('a'))?.body).toMatchObject({ n: 2 });

      await store.remove(newer);
      await expect(store.replace(newer, { id: 'a', n: 3 })).rejects.toMatchObject({ code: 'not-found' });
      await expect(store.remove(newer)).rejects.toMatchObject({ code: 'not-found' });
    });

    test('a document that was made anew is not the one that was read', async () => {
      const first = await store.create({ id: 'a' });
      await store.remove(first);
      await store.create({ id: 'a' });

      await expect(store.replace(first, { id: 'a', n: 1 })).rejects.toMatchObject({ code: 'precondition-failed' });
    });

    test('of many who swap at once one wins', async () => {
      const created = await store.create({ id: 'a', winner: -1 });

      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => store.replace(created, { id: 'a', winner: n })),
      );

      const winners = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [n] : []));
      expect(winners).toHaveLength(1);
      expect((await store.read('a'))?.body).toMatchObject({ winner: winners[0] });
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'precondition-failed' });
      }
    });

    test('a list has the documents whose ids begin with the prefix, all of them, and no others', async () => {
      const prefix = 'grouphost_AAA=_BB==..';
      const ids = Array.from({ length: 130 }, (_, n) => `${prefix}${n}`);
      await Promise.all([...ids, 'grouphost_AAA=_BB==.info', 'grouq', 'g'].map((id) => store.create({ id })));

      const found = await store.list(prefix);

      expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(await store.read(found[0]?.id ?? '')).toEqual(found[0]);
      expect(await store.list('nobody')).toEqual([]);
    });

    test.each([["it's"], ['say "x"'], ['100%'], ['日本 é'], ['@p']])(
      'ids and prefixes may have %j in them',
      async (text) => {
        const created = await store.create({ id: `${text}..0` });
        await store.create({ id: 'other' });

        expect(await store.list(text)).toEqual([created]);
        expect(await store.read(`${text}..0`)).toEqual(created);
        await store.remove(created);
      },
    );

    test('what is not there is read as undefined', async () => {
      expect(await store.read('nobody')).toBeUndefined();
    });

    test('a call that is given up ends with the reason', async () => {
      const stop = new AbortController();
      stop.abort(new Error('enough'));

      await expect(store.read('a', { signal: stop.signal })).rejects.toThrow('enough');
      await expect(store.create({ id: 'a' }, stop.signal)).rejects.toThrow('enough');
      await expect(store.list('a', stop.signal)).rejects.toThrow('enough');
    });

    test('[S34] documents of others are addressed by the partition key that they have', async ({ skip }) => {
      const { writeForeign } = trial;
      skip(!trial.offers.foreignKeys || writeForeign === undefined, 'its documents are partitioned by their ids');
      await writeForeign?.({ id: 'p..0', partitionKey: 'guid-1' });
      await writeForeign?.({ id: 'p..0', partitionKey: 'guid-2' });
      const own = await store.create({ id: 'p..1' });
      expect(own.body).toMatchObject({ partitionKey: 'p..1' });

      const found = [...(await store.list('p..'))].sort(byKey);

      expect(found.map(({ id, key }) => [id, key])).toEqual([
        ['p..0', 'guid-1'],
        ['p..0', 'guid-2'],
        ['p..1', 'p..1'],
      ]);
      const [first] = found as [StoredDocument];
      const replaced = await store.replace(first, { ...first.body, n: 1 });
      expect(await store.read('p..0', { key: 'guid-1' })).toEqual(replaced);
      expect(await store.read('p..0')).toBeUndefined();
      await store.remove(replaced);
      expect(await store.list('p..0')).toHaveLength(1);
    });

    test('[B1] a watch ends when something has changed', async ({ skip }) => {
      skip(!trial.offers.watches || store.watch === undefined, 'the endpoint does not wait');
      const first = await store.watch?.(undefined, 1_000);
      expect(first).toMatchObject({ hasChanged: false, isWaitApplied: true });

      const waiting = store.watch?.(first?.position, 30_000);
      await store.create({ id: 'a' });
      const second = await waiting;

      expect(second).toMatchObject({ hasChanged: true, isWaitApplied: true });
      const stop = new AbortController();
      const given = store.watch?.(second?.position, 30_000, stop.signal);
      stop.abort(new Error('enough'));
      await expect(given).rejects.toThrow('enough');
    });
  });
}

function byKey(a: StoredDocument, b: StoredDocument): number {
  return a.key < b.key ? -1 : 1;
}
