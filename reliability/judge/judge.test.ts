// The judge is only worth something if it can find somebody guilty.

import { describe, expect, test } from 'vitest';
import type { Verdict, Write } from './judge.ts';
import { Judge, problemsOf } from './judge.ts';

const consumers = {
  reader: { sees: 'latest', mayRepeat: false },
  host: { sees: 'latest', mayRepeat: true },
  history: { sees: 'every', mayRepeat: false },
} as const;
const names = Object.keys(consumers);
const innocent: Verdict = { lost: [], skipped: [], disordered: [], repeated: [], invented: [] };

const put = (n: number, id: string = `d${n}`, key: string = 'k'): Write => ({ key, n, id, isDelete: false });
const remove = (n: number, id: string): Write => ({ ...put(n, id), isDelete: true });

function judgeOf(...writes: readonly Write[]): Judge {
  const judge = new Judge(consumers);
  for (const write of writes) {
    judge.begin(write);
    judge.acknowledge(write);
  }
  return judge;
}

function giveAll(judge: Judge, ...ns: readonly number[]): void {
  for (const name of names) for (const n of ns) judge.give(name, { key: 'k', n });
}

const found = (entries: Readonly<Record<string, number>>) => new Map([['k', new Map(Object.entries(entries))]]);

describe('finds nothing', () => {
  test('where everything arrived, once and in order', () => {
    const judge = judgeOf(put(1), put(2), put(3));
    giveAll(judge, 1, 2, 3);
    expect(judge.isAnyMissing).toBe(false);
    expect(judge.verdict(found({ d1: 1, d2: 2, d3: 3 }))).toEqual(innocent);
  });

  test('in versions that were overtaken, and in deletes, which only the feed of all versions shows', () => {
    const judge = judgeOf(put(1, 'a'), put(2, 'a'), put(3, 'b'), remove(4, 'b'));
    for (const name of ['reader', 'host']) judge.give(name, { key: 'k', n: 2 });
    for (const n of [1, 2, 3, 4]) judge.give('history', { key: 'k', n });
    expect(judge.verdict(found({ a: 2 }))).toEqual(innocent);
  });

  test('in a write that was sent twice and happened twice, and in one that nobody acknowledged', () => {
    const judge = judgeOf(put(1), put(1), put(2));
    giveAll(judge, 1, 1, 2);
    judge.begin(put(3));
    expect(judge.verdict(found({ d1: 1, d2: 2 }))).toEqual(innocent);
    giveAll(judge, 3);
    expect(judge.verdict(found({ d1: 1, d2: 2, d3: 3 }))).toEqual(innocent);
  });

  test('in what a handler is given again after its host died', () => {
    const judge = judgeOf(put(1), put(2), put(3));
    giveAll(judge, 1, 2, 3);
    for (const n of [1, 2, 3]) judge.give('host', { key: 'k', n });
    expect(judge.verdict(found({ d1: 1, d2: 2, d3: 3 }))).toEqual(innocent);
  });

  test('in words of two hosts that arrive in another order than they were said', () => {
    const judge = judgeOf(put(1), put(2));
    giveAll(judge, 1, 2);
    judge.settle();
    judge.begin(put(3));
    judge.begin(put(4));
    judge.acknowledge(put(3));
    judge.acknowledge(put(4));
    judge.give('host', { key: 'k', n: 4, at: 200n });
    judge.give('host', { key: 'k', n: 3, at: 100n });
    expect(judge.verdict(found({ d1: 1, d2: 2, d3: 3, d4: 4 })).disordered).toEqual([]);
  });
});

describe('finds', () => {
  test('a lost write: nothing is there, or an older version', () => {
    const judge = judgeOf(put(1, 'a'), put(2, 'a'), put(3, 'b'));
    giveAll(judge, 1, 2, 3);
    expect(judge.verdict(found({ a: 1 })).lost).toEqual(['k 2 (a): 1 is there', 'k 3 (b): nothing is there']);
  });

  test('a delete that did not last', () => {
    const judge = judgeOf(put(1, 'a'), remove(2, 'a'));
    giveAll(judge, 1, 2);
    expect(judge.verdict(found({ a: 1 })).lost).toEqual(['k 2 (a): 1 is there']);
  });

  test('a skipped change, whoever skipped it', () => {
    const judge = judgeOf(put(1), put(2), put(3));
    for (const [name, ns] of Object.entries({ reader: [1, 3], host: [1, 2], history: [2, 3] })) {
      for (const n of ns) judge.give(name, { key: 'k', n });
    }
    const { skipped } = judge.verdict(found({ d1: 1, d2: 2, d3: 3 }));
    expect(skipped).toEqual(['reader: k 2', 'host: k 3', 'history: k 1']);
    expect(judge.isAnyMissing).toBe(true);
  });

  test('the last version of a document when only an earlier one was given, and a version out of the history', () => {
    const judge = judgeOf(put(1, 'a'), put(2, 'a'), put(3, 'a'));
    for (const name of names) judge.give(name, { key: 'k', n: 2 });
    const { skipped } = judge.verdict(found({ a: 3 }));
    expect(skipped).toEqual(['reader: k 3', 'host: k 3', 'history: k 1', 'history: k 3']);
  });

  test('changes in another order', () => {
    const judge = judgeOf(put(1), put(2), put(3));
    giveAll(judge, 1, 3, 2);
    expect(judge.verdict(found({ d1: 1, d2: 2, d3: 3 })).disordered).toEqual(
      names.map((name) => `${name}: k 2 after 3`),
    );
  });

  test('what a continuation shows again, also after everything was settled', () => {
    const judge = judgeOf(put(1), put(2));
    giveAll(judge, 1, 2);
    judge.give('reader', { key: 'k', n: 1 });
    judge.settle();
    giveAll(judge, 2);
    expect(judge.verdict(found({ d1: 1, d2: 2 })).repeated).toEqual(['reader: k 1', 'reader: k 2', 'history: k 2']);
  });

  test('what nobody wrote', () => {
    const judge = judgeOf(put(1));
    giveAll(judge, 1);
    judge.give('host', { key: 'k', n: 9 });
    expect(judge.verdict(found({ d1: 1, d7: 7 })).invented).toEqual(['host: k 9', 'k 7 (d7)']);
  });

  test('a loss after everything before was settled', () => {
    const judge = judgeOf(put(1), put(2, 'd1'));
    giveAll(judge, 1, 2);
    judge.settle();
    expect(judge.verdict(found({ d1: 2 }))).toEqual(innocent);
    expect(judge.verdict(found({ d1: 1 })).lost).toEqual(['k 2 (d1): 1 is there']);
    expect(problemsOf(judge.verdict(found({})))).toEqual(['lost: k 2 (d1): nothing is there']);
  });
});
