import { describe, expect, test } from 'vitest';
import { functionFamilies } from '../src/functions/function-table.ts';
import { signatureOf } from '../src/functions/signature.ts';
import { allRows } from './all-pages.ts';

describe.each(functionFamilies.map(({ title, functions }) => [title, functions] as const))(
  '[wire 12] %s',
  (_, functions) => {
    test.each(functions.map((each) => [each.name, each] as const))(
      '%s is what its example says',
      (_name, { example }) => {
        const [expression, value] = example;

        const rows = allRows({ query: `SELECT VALUE ${expression}`, documents: [] });

        expect(rows).toEqual(value === undefined ? [] : [JSON.parse(value)]);
      },
    );
  },
);

test('[wire 12] names are there once, and in any case', () => {
  const names = functionFamilies
    .flatMap(({ functions }) => functions)
    .flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => each.toUpperCase()));

  expect(new Set(names).size).toBe(names.length);
});

test('[wire 12] an argument that is undefined or of another type makes a call undefined', () => {
  const functions = functionFamilies.flatMap((family) => family.functions);
  for (const { name, takes } of functions) {
    const { types, argsMin } = signatureOf(takes);
    if (argsMin === 0 || types[0] === 'maybe') continue;
    const others = Array.from({ length: argsMin - 1 }, () => '1');

    expect(allRows({ query: `SELECT VALUE ${name}(${['undefined', ...others].join(', ')})`, documents: [] })).toEqual(
      [],
    );
  }
});
