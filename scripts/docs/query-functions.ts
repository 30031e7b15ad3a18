// The functions of queries: what they are called, take and mean, and an example, which the tests of the package evaluate.

import { functionFamilies } from '../../packages/query/src/functions/function-table.ts';
import type { QueryFunction } from '../../packages/query/src/functions/query-function.ts';
import { code, table } from './table.ts';

export function queryFunctionsPart(): string {
  const parts = functionFamilies.map(({ title, functions }) => {
    return `## ${title}\n\n${table(['function', 'what it is', 'example'], functions.map(rowOf))}`;
  });
  return parts.join('\n\n');
}

function rowOf({ name, aliases = [], takes, meaning, example }: QueryFunction): readonly string[] {
  const [expression, value] = example;
  const others = aliases.length === 0 ? '' : `<br>also ${aliases.map(code).join(', ')}`;
  const result = value === undefined ? 'undefined' : code(value);
  return [`${code(`${name}(${takes})`)}${others}`, meaning, `${code(expression)} → ${result}`];
}
