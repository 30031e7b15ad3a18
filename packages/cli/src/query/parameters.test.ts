import { expect, test } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { checkUsed, readParameter, readParameters, readPartitionKey } from './parameters.ts';

const definition = { paths: ['/pk'], kind: 'Hash', version: 2 } as const;

test('a value is JSON, or a string without its quotes', () => {
  const values = ['n=7', 'n="7"', 'n=[1, 2]', 'n=Brest', 'n=it is 5', 'n='].map((text) => readParameter(text).json);

  expect(values).toEqual(['7', '"7"', '[1, 2]', '"Brest"', '"it is 5"', '""']);
});

test.each(['"ada', '["ada"', '{"a":1'])('%s begins like JSON and is none, which is no string', (text) => {
  expect(() => readParameter(`n=${text}`)).toThrow(`${text} begins like JSON and is none: `);
  expect(() => readPartitionKey(text, definition, false)).toThrow(UsageError);
});

test('a parameter that no query uses is one that was mistyped', () => {
  const check = (query: string, ...names: string[]): void =>
    checkUsed(readParameters(names.map((name) => `${name}=5`)), ['SELECT 1', query]);

  expect(() => check('SELECT * FROM c WHERE c.n > @least', 'least')).not.toThrow();
  expect(() => check('SELECT * FROM c WHERE c.n > @least', 'lest')).toThrow(
    'The query has no @lest. Did you mean @least?',
  );
  expect(() => check("SELECT '@quoted' -- @comment", 'quoted')).toThrow('The query has no @quoted.');
  expect(() => check('SELECT @least', 'least', 'lest')).toThrow(/^The query has no @lest\.$/);
});
