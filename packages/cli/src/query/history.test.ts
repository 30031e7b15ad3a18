import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { historyLinesMax } from '../limits.ts';
import { fileHistory, historyPath, rememberIn } from './history.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-history-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = (): void => {};

test('what was typed is there the next time, the newest first, and only its owner can read it', () => {
  const path = join(folder, 'a', 'b', 'query-history');
  const first = fileHistory(path, quiet);
  for (const entry of ['SELECT 1;', 'SELECT 2;', 'SELECT 1;']) first.add(entry);

  const second = fileHistory(path, quiet);

  expect(first.entries).toEqual([]);
  expect(second.entries).toEqual(['SELECT 1;', 'SELECT 2;']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a long history is cut when it is read', () => {
  const path = join(folder, 'history');
  writeFileSync(path, Array.from({ length: 2 * historyLinesMax + 1 }, (_, n) => `SELECT ${n};\n`).join(''));

  const { entries } = fileHistory(path, quiet);

  expect(entries).toHaveLength(historyLinesMax);
  expect(entries[0]).toBe(`SELECT ${2 * historyLinesMax};`);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(historyLinesMax + 1);
});

test('a file that cannot be is told once, and the prompt goes on without it', () => {
  const told: string[] = [];
  writeFileSync(join(folder, 'file'), '');
  const history = fileHistory(join(folder, 'file', 'history'), (message) => told.push(message));

  history.add('SELECT 1;');

  expect(history.entries).toEqual([]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('The history of the prompt is not kept');
});

test('it lies where the system keeps such things', () => {
  expect(historyPath({ XDG_STATE_HOME: '/state' })).toBe(join('/state', 'tidemark', 'query-history'));
  expect(historyPath({})).toMatch(/tidemark.query-history$/);
});

test('a query over several lines comes back as one, unless it has a comment in it', () => {
  const kept: string[] = [];
  const history = { entries: [], entriesMax: 10, add: (entry: string) => void kept.push(entry) };
  const plain = ['FROM c;', 'SELECT *', 'older'];
  const commented = ['FROM c;', 'SELECT * -- all', 'older'];

  rememberIn(plain, 'SELECT *\n', history);
  rememberIn(commented, 'SELECT * -- all\n', history);
  rememberIn(['SELECT *', 'older'], '', history);

  expect(plain).toEqual(['SELECT * FROM c;', 'older']);
  expect(commented).toEqual(['FROM c;', 'SELECT * -- all', 'older']);
  expect(kept).toEqual(['SELECT * FROM c;', 'FROM c;']);
});
