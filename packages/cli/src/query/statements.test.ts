import { expect, test } from 'vitest';
import { saysSomething, splitStatements } from './statements.ts';

test('a semicolon ends a query, but not inside of a string or a comment', () => {
  const { statements, rest } = splitStatements(
    `SELECT ';' FROM c; SELECT "a\\";" -- not here;\nFROM c;;\n -- nothing;\n SELECT 1`,
  );

  expect(statements).toEqual([`SELECT ';' FROM c`, ` SELECT "a\\";" -- not here;\nFROM c`]);
  expect(rest.trim()).toBe('-- nothing;\n SELECT 1');
});

test('a string without its end goes on', () => {
  expect(splitStatements(`SELECT 'a; b`)).toEqual({ statements: [], rest: `SELECT 'a; b` });
  expect(splitStatements(`SELECT 'a\\`)).toEqual({ statements: [], rest: `SELECT 'a\\` });
});

test('comments and blanks say nothing', () => {
  expect([' \n', '-- x', '-- x\n 1'].map(saysSomething)).toEqual([false, false, true]);
});
