// The contract of the index seam, run against every implementation, with a plain sorted array as the model.

import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from '@tidemark/engine/internal';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** `make` returns an empty index; the suite closes it. */
export function indexStoreContract(name: string, make: () => Promise<IndexStore>): void {
  describe(`the index seam: ${name}`, () => {
    let index: IndexStore;

    beforeEach(async () => {
      index = await make();
    });

    afterEach(async () => {
      await index.close();
    });

    test('[engine 5] sees an apply as soon as its promise has resolved', async () => {
      expect(index.get(key('a'))).toBeUndefined();

      await index.apply([put('a', '1'), put('b', '2')]);

      expect(text(index.get(key('a')))).toBe('1');
      expect(text(index.get(key('b')))).toBe('2');
      expect(index.get(key('ab'))).toBeUndefined();
    });

    test('a read in the same turn as the one before the apply sees the apply too', async () => {
      await index.apply([put('a', '1')]);
      expect(text(index.get(key('a')))).toBe('1');
      const applied = index.apply([put('a', '2')]);
      index.get(key('a'));

      await applied;

      expect(text(index.get(key('a')))).toBe('2');
      expect(entries(index, {})).toEqual(['a=2']);
    });

    test('applies changes in order: of several for one key the last one counts', async () => {
      await index.apply([put('a', '1'), put('a', '2'), remove('a'), put('b', '1'), remove('b'), put('b', '3')]);

      expect(entries(index, {})).toEqual(['b=3']);
    });

    test('lends what get gives, where it lends at all', async () => {
      const large = Buffer.alloc(100_000, 7);
      await index.apply([put('a', '1'), put('b', '22'), { key: key('large'), value: large }]);
      await index.apply([{ key: key('empty'), value: Buffer.alloc(0) }]);
      if (index.lend === undefined) return;

      for (const name of ['a', 'b', 'large', 'empty', 'a', 'none']) {
        expect(index.lend(key(name))?.toString()).toEqual(index.get(key(name))?.toString());
      }
      await index.apply([put('a', '2')]);
      expect(text(index.lend(key('a')))).toBe('2');
    });

    test('has another number of changes once something was applied, where it counts them', async () => {
      const before = index.changes;
      await index.apply([put('a', '1')]);

      if (before !== undefined) expect(index.changes).not.toBe(before);
    });

    test('removing what is not there changes nothing', async () => {
      await index.apply([put('a', '1'), remove('x'), put('c', '2')]);

      expect(entries(index, {})).toEqual(['a=1', 'c=2']);
    });

    test('takes empty applies, empty values, large values and the longest key', async () => {
      const longest = Buffer.alloc(index.keyBytesMax, 0xff);
      const large = Buffer.alloc(100_000, 7);

      await index.apply([]);
      await index.apply([
        { key: longest, value: large },
        { key: key('empty'), value: Buffer.alloc(0) },
      ]);

      expect(index.get(longest)?.equals(large)).toBe(true);
      expect(index.get(key('empty'))).toHaveLength(0);
      expect(index.range({ from: key(''), to: Buffer.alloc(1900, 0xff), limit: 9 })).toHaveLength(1);
    });

    test('refuses a key that is empty or too long, and applies nothing of it', async () => {
      const tooLong = Buffer.alloc(index.keyBytesMax + 1, 1);

      await expect(index.apply([put('a', '1'), { key: tooLong, value: key('x') }])).rejects.toThrow(/key/);
      await expect(index.apply([put('a', '1'), { key: key(''), value: key('x') }])).rejects.toThrow(/key/);

      expect(index.get(key('a'))).toBeUndefined();
      await index.apply([put('b', '2')]);
      expect(entries(index, {})).toEqual(['b=2']);
    });

    test('ranges include from and exclude to, in both directions', async () => {
      await index.apply(['a', 'b', 'c', 'd', 'e'].map((letter) => put(letter, letter)));

      expect(entries(index, { from: 'b', to: 'd' })).toEqual(['b=b', 'c=c']);
      expect(entries(index, { from: 'b', to: 'd', reverse: true })).toEqual(['c=c', 'b=b']);
      expect(entries(index, { from: 'b', to: 'e', limit: 2 })).toEqual(['b=b', 'c=c']);
      expect(entries(index, { from: 'b', to: 'e', limit: 2, reverse: true })).toEqual(['d=d', 'c=c']);
      expect(entries(index, { from: 'bb', to: 'dd', reverse: true })).toEqual(['d=d', 'c=c']);
      expect(entries(index, { from: 'f', to: 'z', reverse: true })).toEqual([]);
      expect(entries(index, { from: 'd', to: 'b' })).toEqual([]);
      expect(entries(index, { from: 'b', to: 'b' })).toEqual([]);
      expect(entries(index, { limit: 0 })).toEqual([]);
    });

    test('orders keys as unsigned bytes, a prefix before its extension', async () => {
      const keys = [Buffer.from([0]), Buffer.from([0, 0]), Buffer.from([1]), Buffer.from([127]), Buffer.from([128, 5])];
      await index.apply([...keys].reverse().map((bytes) => ({ key: bytes, value: bytes })));

      const found = index.range({ from: Buffer.from([0]), to: Buffer.from([255]), limit: 10 });

      expect(found.map((entry) => entry.key.toString('hex'))).toEqual(keys.map((bytes) => bytes.toString('hex')));
    });

    test('gives bytes that later reads and writes do not disturb', async () => {
      await index.apply([put('a', 'first'), put('b', 'other')]);
      const [kept] = index.range({ from: key('a'), to: key('b'), limit: 1 });
      const first = index.get(key('a'));
      const second = index.get(key('b'));

      expect(text(first)).toBe('first');
      expect(text(second)).toBe('other');
      await index.apply([put('a', 'later')]);
      index.get(key('a'));
      expect(text(kept?.value)).toBe('first');
      expect(text(kept?.key)).toBe('a');
    });

    test('keeps its own copy: the caller may reuse its bytes after the apply', async () => {
      const change = { key: key('a'), value: Buffer.from('1') };
      await index.apply([change]);

      change.key.fill('z');
      change.value.fill('z');

      expect(entries(index, {})).toEqual(['a=1']);
    });

    test('applies that overlap take effect in the order of the calls', async () => {
      await Promise.all([0, 1, 2, 3, 4].map((n) => index.apply([put('a', `${n}`), put(`k${n}`, 'x')])));

      expect(text(index.get(key('a')))).toBe('4');
      expect(entries(index, { from: 'k' })).toHaveLength(5);
    });

    test('sync resolves, with nothing applied and with applies in flight', async () => {
      await index.sync();
      const applied = index.apply([put('a', '1')]);

      await index.sync();

      await applied;
      expect(text(index.get(key('a')))).toBe('1');
    });

    test('a closed index refuses, and closing twice is harmless', async () => {
      const applied = index.apply([put('a', '1')]);
      await index.close();
      await index.close();

      await applied;
      expect(() => index.get(key('a'))).toThrow(expect.objectContaining({ code: 'closed' }));
      expect(() => entries(index, {})).toThrow(expect.objectContaining({ code: 'closed' }));
      await expect(index.apply([put('a', '1')])).rejects.toMatchObject({ code: 'closed' });
      await expect(index.sync()).rejects.toMatchObject({ code: 'closed' });
    });

    test('nothing is read from the call of close on, not even while an apply is under way', async () => {
      await index.apply([put('a', '1')]);
      const applied = index.apply([put('b', '2')]);
      const closed = index.close();

      expect(() => index.get(key('a'))).toThrow(expect.objectContaining({ code: 'closed' }));
      expect(() => entries(index, {})).toThrow(expect.objectContaining({ code: 'closed' }));
      await Promise.allSettled([applied, closed]);
    });

    test('agrees with a sorted array under random histories', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(batch, { maxLength: 12 }),
          bound,
          bound,
          fc.nat(40),
          fc.boolean(),
          async (...history) => {
            const [batches, from, to, limit, reverse] = history;
            const fresh = await make();
            const model = new Map<string, string>();
            for (const changes of batches) {
              await fresh.apply(changes);
              applyToModel(model, changes);
            }
            const options = { from: from < to ? from : to, to: from < to ? to : from, limit, reverse };
            expect(fresh.range(rangeOf(options)).map(describeEntry)).toEqual(modelRange(model, options));
            for (const [name, value] of model) expect(fresh.get(key(name))?.toString('latin1')).toBe(value);
            await fresh.close();
          },
        ),
        { numRuns: 60 },
      );
    });
  });
}

interface TextRange {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
}

const keyText = fc.array(fc.constantFrom('\x00', 'a', 'b', 'c', '\x80', '\xff'), { minLength: 1, maxLength: 4 });
const bound = fc.array(fc.constantFrom('\x00', 'a', 'b', 'c', '\x80', '\xff'), { maxLength: 4 }).map((x) => x.join(''));
const change = fc
  .tuple(
    keyText.map((parts) => parts.join('')),
    fc.option(fc.string({ maxLength: 3, unit: 'binary-ascii' }), { nil: undefined }),
  )
  .map(([name, value]) => ({ key: key(name), value: value === undefined ? undefined : key(value) }));
const batch = fc.array(change, { maxLength: 60 });

function applyToModel(model: Map<string, string>, changes: readonly IndexChange[]): void {
  for (const { key: name, value } of changes) {
    if (value === undefined) model.delete(name.toString('latin1'));
    else model.set(name.toString('latin1'), value.toString('latin1'));
  }
}

function modelRange(model: Map<string, string>, options: Required<TextRange>): string[] {
  const sorted = [...model].filter(([name]) => name >= options.from && name < options.to);
  sorted.sort(([a], [b]) => (a < b ? -1 : 1));
  if (options.reverse) sorted.reverse();
  return sorted.slice(0, options.limit).map(([name, value]) => `${name}=${value}`);
}

function entries(index: IndexStore, range: TextRange): string[] {
  return index.range(rangeOf(range)).map(describeEntry);
}

function rangeOf({ from = '', to = '\xff', limit = 1000, reverse = false }: TextRange): IndexRangeOptions {
  return { from: key(from), to: key(to), limit, reverse };
}

function describeEntry(entry: IndexEntry): string {
  return `${entry.key.toString('latin1')}=${entry.value.toString('latin1')}`;
}

function put(name: string, value: string): IndexChange {
  return { key: key(name), value: Buffer.from(value) };
}

function remove(name: string): IndexChange {
  return { key: key(name), value: undefined };
}

function key(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

function text(bytes: Buffer | undefined): string | undefined {
  return bytes?.toString('latin1');
}
