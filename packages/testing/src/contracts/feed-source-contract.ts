// The contract of the feed seam of the processor: what every source of changes promises, whatever is behind it.

import type { KeyRange } from '@tidemark/model';
import { keyRangesTile } from '@tidemark/model';
import type { FeedItem, FeedPage, FeedRead, FeedSource, FeedStart, PhysicalRange } from '@tidemark/processor';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A source on trial, over an empty container partitioned by `/pk`, and the other side of it: who writes. */
export interface FeedUnderTest {
  readonly source: FeedSource;
  /** What an endpoint may lack. */
  readonly offers: {
    readonly waits: boolean;
    readonly tails: boolean;
    readonly merges: boolean;
    readonly allVersions: boolean;
  };
  /** In one transaction. */
  write(pk: string, ids: readonly string[]): Promise<void>;
  remove(pk: string, id: string): Promise<void>;
  split(range: string): Promise<void>;
  merge(left: string, right: string): Promise<void>;
  close(): Promise<void>;
}

export type MakeFeed = () => Promise<FeedUnderTest>;

const scopes = { mode: 'latest' } as const;

export function feedSourceContract(name: string, make: MakeFeed): void {
  describe(`the feed seam: ${name}`, () => {
    let feed: FeedUnderTest;
    let source: FeedSource;

    beforeEach(async () => {
      feed = await make();
      ({ source } = feed);
    });
    afterEach(() => feed.close());

    async function onlyRange(): Promise<PhysicalRange> {
      const [range, other] = await source.ranges();
      if (range === undefined || other !== undefined) throw new Error('the container of the contract has one range');
      return range;
    }

    async function writeKeys(count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, n) => `${n}`);
      for (const id of ids) await feed.write(`k${id}`, [id]);
      return ids;
    }

    test('it says which container it is', async () => {
      const identity = await source.identity();

      expect(identity.account).not.toBe('');
      expect(identity.account).not.toContain(':');
      expect(identity.containerRid.startsWith(identity.databaseRid.slice(0, 4))).toBe(true);
      expect(identity.partitionKeyPaths).toEqual(['/pk']);
      expect(identity.name).toMatch(/.\/./);
    });

    test('[M3] its ranges cover the key space, before and after a split', async () => {
      const range = await onlyRange();
      expect(range).toMatchObject({ min: '', max: 'FF' });

      await feed.split(range.id);

      const children = await source.ranges();
      expect(children).toHaveLength(2);
      expect(keyRangesTile(children)).toBe(true);
      expect(children.every(({ parents }) => parents.includes(range.id))).toBe(true);
    });

    test('[M5] from the beginning every change comes once, in order, and the end is told', async () => {
      const ids = await writeKeys(7);
      const { id: range } = await onlyRange();

      const { items, pages } = await drain(source, { ...scopes, range, from: 'beginning', itemsMax: 3 });

      expect(idsOf(items)).toEqual(ids);
      expect(pages.slice(0, -1).every(({ isDrained }) => !isDrained)).toBe(true);
      expect(new Set(pages.slice(0, -1).map(({ position }) => position)).size).toBe(pages.length - 1);
      expect(pages.every(({ charge }) => Number.isFinite(charge))).toBe(true);
    });

    test('[M4] a position goes on where it was taken, also that of an empty page', async () => {
      const { id: range } = await onlyRange();
      const empty = await source.read({ ...scopes, range, from: 'beginning' });
      expect(empty).toMatchObject({ isDrained: true, items: [] });
      await writeKeys(3);

      const first = await drain(source, { ...scopes, range, from: { position: empty.position } });
      await feed.write('k1', ['1']);
      const second = await drain(source, { ...scopes, range, from: { position: first.position } });

      expect(idsOf(first.items)).toEqual(['0', '1', '2']);
      expect(idsOf(second.items)).toEqual(['1']);
    });

    test('[M4] from now nothing of before comes, and everything after', async () => {
      await writeKeys(3);
      const { id: range } = await onlyRange();

      const now = await source.read({ ...scopes, range, from: 'now' });
      await feed.write('later', ['later']);
      const { items } = await drain(source, { ...scopes, range, from: { position: now.position } });

      expect(now).toMatchObject({ isDrained: true, items: [] });
      expect(idsOf(items)).toEqual(['later']);
    });

    test('[M7] from a time', async () => {
      await writeKeys(3);
      const { id: range } = await onlyRange();
      const hour = 3_600_000;

      const past = await drain(source, { ...scopes, range, from: { timeMs: Date.now() - hour } });
      const future = await drain(source, { ...scopes, range, from: { timeMs: Date.now() + hour } });

      expect(idsOf(past.items)).toEqual(['0', '1', '2']);
      expect(idsOf(future.items)).toEqual([]);
    });

    test('[M6] [S50] what was committed together is not cut by the size of a page', async () => {
      const together = ['a', 'b', 'c', 'd', 'e'];
      await feed.write('k', together);
      const { id: range } = await onlyRange();

      const page = await source.read({ ...scopes, range, from: 'beginning', itemsMax: 2 });

      expect(idsOf(page.items).sort()).toEqual(together);
      const lsns = page.items.map((item) => ('value' in item ? item.value['_lsn'] : undefined));
      expect(new Set(lsns).size).toBe(1);
    });

    test('documents come with what the service adds to them', async () => {
      await feed.write('k', ['a']);
      const { id: range } = await onlyRange();

      const { items } = await drain(source, { ...scopes, range, from: 'beginning' });

      const added = { _rid: expect.any(String), _etag: expect.any(String), _ts: expect.any(Number) };
      expect(items).toMatchObject([{ value: { id: 'a', pk: 'k', _lsn: expect.any(Number), ...added } }]);
    });

    test('a part of the keys shows its changes and no others', async () => {
      const ids = await writeKeys(20);
      const range = await onlyRange();
      const middle = '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF';
      const halves = [
        { min: range.min, max: middle },
        { min: middle, max: range.max },
      ];

      const found: string[][] = [];
      for (const keys of halves) {
        const named = await drain(source, { ...scopes, range: range.id, keys, from: 'beginning', itemsMax: 3 });
        const unnamed = await drain(source, { ...scopes, keys, from: 'beginning', itemsMax: 3 });
        expect(idsOf(unnamed.items)).toEqual(idsOf(named.items));
        found.push(idsOf(named.items));
      }

      expect(found.every((half) => half.length > 0)).toBe(true);
      expect(found.flat().sort()).toEqual([...ids].sort());
    });

    test('[M3] a range that was split is gone, and its children go on from its position', async () => {
      await writeKeys(6);
      const { id: range } = await onlyRange();
      const before = await drain(source, { ...scopes, range, from: 'beginning', itemsMax: 2 });
      const third = before.pages[0]?.position ?? '';
      await feed.split(range);

      const gone = source.read({ ...scopes, range, from: { position: third } });
      await expect(gone).rejects.toMatchObject({ code: 'range-gone' });
      const rest: string[] = [];
      for (const child of await source.ranges()) {
        rest.push(...idsOf((await drain(source, { ...scopes, range: child.id, from: { position: third } })).items));
      }

      expect(rest.sort()).toEqual(['2', '3', '4', '5']);
    });

    test('keys that lie in two ranges are gone; those of one child are read from it', async () => {
      const ids = await writeKeys(20);
      const whole = await onlyRange();
      const keys: KeyRange = { min: whole.min, max: whole.max };
      const start = await source.read({ ...scopes, keys, from: 'now' });
      await feed.split(whole.id);

      const spread = source.read({ ...scopes, keys, from: { position: start.position } });
      await expect(spread).rejects.toMatchObject({ code: 'range-gone' });
      const found: string[] = [];
      for (const { min, max } of await source.ranges()) {
        found.push(...idsOf((await drain(source, { ...scopes, keys: { min, max }, from: 'beginning' })).items));
      }

      expect(found.sort()).toEqual([...ids].sort());
    });

    test('[S20] after a merge each slice goes on by its keys from its own position', async ({ skip }) => {
      skip(!feed.offers.merges, 'its ranges are never merged');
      const ids = await writeKeys(20);
      await feed.split((await onlyRange()).id);
      const [left, right] = await source.ranges();
      if (left === undefined || right === undefined) throw new Error('a split makes two');
      const slices = await Promise.all(
        [left, right].map(async ({ min, max }, n) => {
          const keys = { min, max };
          // The left slice is at its end, the right one at its beginning.
          const from: FeedStart = n === 0 ? 'now' : 'beginning';
          return { keys, from: n === 0 ? { position: (await source.read({ ...scopes, keys, from })).position } : from };
        }),
      );
      const expected = (await drain(source, { ...scopes, range: right.id, from: 'beginning' })).items.length;

      await feed.merge(left.id, right.id);
      await feed.write('k0', ['0']);

      const found = await Promise.all(slices.map((slice) => drain(source, { ...scopes, ...slice })));
      const [inLeft, inRight] = found.map(({ items }) => idsOf(items));
      const isLeft = inLeft?.includes('0') === true;
      expect(inLeft).toEqual(isLeft ? ['0'] : []);
      expect(inRight).toHaveLength(expected);
      expect(new Set(inRight).size).toBe(expected);
      expect(expected).toBeLessThan(ids.length);
    });

    test('the newest LSN of the range is told with every page', async ({ skip }) => {
      skip(!feed.offers.tails, 'the endpoint does not tell');
      await writeKeys(5);
      const { id: range } = await onlyRange();

      const page = await source.read({ ...scopes, range, from: 'beginning', itemsMax: 1 });
      const { pages, items } = await drain(source, { ...scopes, range, from: 'beginning' });

      const last = items.at(-1);
      expect(last !== undefined && 'value' in last ? last.value['_lsn'] : undefined).toBe(page.tailLsn);
      expect(pages.at(-1)?.tailLsn).toBe(page.tailLsn);
    });

    test('[B1] a read that waits is answered by the change', async ({ skip }) => {
      skip(!feed.offers.waits, 'the endpoint does not wait');
      const { id: range } = await onlyRange();
      const { position } = await source.read({ ...scopes, range, from: 'now' });

      const waiting = source.read({ ...scopes, range, from: { position }, waitMs: 30_000 });
      await feed.write('k', ['a']);
      const page = await waiting;
      const idle = await source.read({ ...scopes, range, from: { position: page.position }, waitMs: 1_000 });

      expect(idsOf(page.items)).toEqual(['a']);
      expect(page.isWaitApplied).toBe(true);
      expect(idle).toMatchObject({ isDrained: true, isWaitApplied: true, items: [] });
    });

    test('a read that is given up ends with the reason', async () => {
      const { id: range } = await onlyRange();
      const { position } = await source.read({ ...scopes, range, from: 'now' });
      const stop = new AbortController();
      stop.abort(new Error('enough'));

      const given = source.read({ ...scopes, range, from: { position }, waitMs: 30_000, signal: stop.signal });

      await expect(given).rejects.toThrow('enough');
    });

    test('[B1] a read that waits is given up at once', async ({ skip }) => {
      skip(!feed.offers.waits, 'the endpoint does not wait');
      const { id: range } = await onlyRange();
      const { position } = await source.read({ ...scopes, range, from: 'now' });
      const stop = new AbortController();

      const given = source.read({ ...scopes, range, from: { position }, waitMs: 30_000, signal: stop.signal });
      stop.abort(new Error('enough'));

      await expect(given).rejects.toThrow('enough');
    });

    test('[B2] all versions and deletes, from a position', async ({ skip }) => {
      skip(!feed.offers.allVersions, 'only the latest versions');
      const { id: range } = await onlyRange();
      const mode = 'all-versions';
      const { position } = await source.read({ mode, range, from: 'now' });
      await feed.write('k', ['a']);
      await feed.write('k', ['a']);
      await feed.remove('k', 'a');

      const { items } = await drain(source, { mode, range, from: { position } });

      expect(items).toMatchObject([
        { value: { current: { id: 'a' }, metadata: { operationType: 'create', lsn: expect.any(Number) } } },
        { value: { current: { id: 'a' }, metadata: { operationType: 'replace' } } },
        { value: { metadata: { operationType: 'delete', id: 'a', partitionKey: { pk: 'k' } } } },
      ]);
    });

    test('[S23] a position that is none is refused', async () => {
      const { id: range } = await onlyRange();

      const refused = source.read({ ...scopes, range, from: { position: '"nonsense"' } });

      await expect(refused).rejects.toMatchObject({ code: 'invalid-continuation' });
    });
  });
}

/** Reads until nothing is left. */
async function drain(
  source: FeedSource,
  read: FeedRead,
): Promise<{ items: FeedItem[]; pages: FeedPage[]; position: string }> {
  const items: FeedItem[] = [];
  const pages: FeedPage[] = [];
  let { from } = read;
  for (;;) {
    const page = await source.read({ ...read, from });
    items.push(...page.items);
    pages.push(page);
    from = { position: page.position };
    if (page.isDrained) return { items, pages, position: page.position };
  }
}

function idsOf(items: readonly FeedItem[]): string[] {
  return items.map((item) => ('value' in item ? String(item.value['id']) : `raw: ${item.reason}`));
}
