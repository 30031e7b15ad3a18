import { isDatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { Change } from './model-container.ts';
import { ModelContainer, positionOfKey } from './model-container.ts';

describe('the container of a world', () => {
  test('shows the latest version of each document, or all versions', () => {
    const container = makeContainer(1);
    container.commit('a', [{ id: 'x', document: {} }]);
    container.commit('a', [{ id: 'y', document: {} }]);
    container.commit('a', [{ id: 'x', document: {} }]);
    container.commit('a', [{ id: 'y', document: undefined }]);

    const latest = container.read({ range: '0', mode: 'latest', from: 'beginning' });
    const versions = container.read({ range: '0', mode: 'all-versions', from: { position: '"1"' } });

    expect(shown(latest.changes)).toEqual(['replace x 3']);
    expect(shown(versions.changes)).toEqual(['create y 2', 'replace x 3', 'delete y 4']);
    expect(latest.position).toBe('"4"');
  });

  test('never cuts what was committed together', () => {
    const container = makeContainer(1);
    container.commit('a', [{ id: 'w', document: {} }]);
    container.commit(
      'a',
      ['x', 'y', 'z'].map((id) => ({ id, document: {} })),
    );

    const first = container.read({ range: '0', mode: 'latest', from: 'beginning', itemsMax: 2 });

    expect(shown(first.changes)).toEqual(['create w 1', 'create x 2', 'create y 2', 'create z 2']);
  });

  test('names all ancestors of a range, as the wire does', () => {
    const container = makeContainer(1);
    container.split('0');
    container.split('1');
    container.merge('4');

    const parents = Object.fromEntries(container.ranges.map((range) => [range.id, range.parents]));

    expect(parents).toEqual({ 3: ['0', '1'], 5: ['0', '1', '4', '2'] });
  });

  test('lets children go on from the positions of their parent', () => {
    const container = makeContainer(1);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const key of keys) container.commit(key, [{ id: key, document: {} }]);
    const page = container.read({ range: '0', mode: 'latest', from: 'beginning', itemsMax: 3 });

    const children = container.split('0') ?? [];
    for (const key of keys) container.commit(key, [{ id: `${key}2`, document: {} }]);

    const read = children.flatMap(({ id }) => container.read({ range: id, mode: 'latest', from: page }).changes);
    const ids = [...page.changes, ...read].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(keys.flatMap((key) => [key, `${key}2`]).toSorted());
    expect(codeOf(() => container.read({ range: '0', mode: 'latest', from: page }))).toBe('range-gone');
  });

  test('reads each slice of a merged range from its own position', () => {
    const container = makeContainer(2);
    const [left, right] = container.ranges;
    const [low, high] = [keyIn(container, 0), keyIn(container, 1)];
    for (let i = 0; i < 9; i += 1) container.commit(low, [{ id: `low${i}`, document: {} }]);
    container.commit(high, [{ id: 'high0', document: {} }]);
    const ahead = container.read({ range: '0', mode: 'latest', from: 'beginning' });
    const behind = container.read({ range: '1', mode: 'latest', from: 'now' });

    container.merge('0');
    container.commit(low, [{ id: 'low9', document: {} }]);
    container.commit(high, [{ id: 'high1', document: {} }]);

    expect(shown(container.read({ keys: left, mode: 'latest', from: ahead }).changes)).toEqual(['create low9 10']);
    expect(shown(container.read({ keys: right, mode: 'latest', from: behind }).changes)).toEqual(['create high1 11']);
  });

  test('answers an empty page that is not the end when it has looked at much', () => {
    const container = new ModelContainer({ ranges: 1, nowMs: () => 0, scanMax: 10 });
    for (let i = 0; i < 50; i += 1) container.commit('a', [{ id: 'x', document: {} }]);

    const page = container.read({ range: '0', mode: 'latest', from: 'beginning' });

    expect(page).toMatchObject({ position: '"10"', changes: [], isDrained: false });
  });

  test('refuses what is older than its history and what it never gave', () => {
    let nowMs = 0;
    const container = new ModelContainer({ ranges: 1, nowMs: () => nowMs, retentionMs: 1000 });
    container.commit('a', [{ id: 'x', document: {} }]);
    container.commit('a', [{ id: 'y', document: {} }]);
    nowMs = 5000;

    const read = (position: string) => () => container.read({ range: '0', mode: 'all-versions', from: { position } });
    expect(codeOf(read('"1"'))).toBe('retention-passed');
    expect(codeOf(read('"2"'))).toBeUndefined();
    expect(codeOf(read('"99"'))).toBe('invalid-continuation');
  });
});

function makeContainer(ranges: number): ModelContainer {
  return new ModelContainer({ ranges, nowMs: () => 0 });
}

function shown(changes: readonly Change[]): string[] {
  return changes.map(({ type, id, lsn }) => `${type} ${id} ${lsn}`);
}

function keyIn(container: ModelContainer, index: number): string {
  const range = container.ranges[index];
  const keys = Array.from({ length: 100 }, (_, i) => `key${i}`);
  const key = keys.find(
    (one) => range !== undefined && range.min <= positionOfKey(one) && positionOfKey(one) < range.max,
  );
  if (key === undefined) throw new Error('no key lies in this range');
  return key;
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return isDatabaseError(error) ? error.code : 'other';
  }
}
