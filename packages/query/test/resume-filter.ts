// With what clients say where a sorted query goes on: the filter that the .NET SDK writes (spec query 5.8).

import { jsonTypeRank } from '@tidemark/model';
import type { QueryInfo } from '../src/plan/query-info.ts';
import type { Value } from '../src/value/value.ts';

/** Rows behind these keys, and with `isSameTaken` those with the same ones. */
export function resumeFilter(
  { orderBy, orderByExpressions }: QueryInfo,
  keys: readonly Value[],
  isSameTaken: boolean,
): string {
  const parts = keys.map((key, last) => {
    const isLast = last === keys.length - 1;
    const equal = keys.slice(0, last).map((one, at) => `(${equals(orderByExpressions[at] as string, one)})`);
    const behind = behindKey(
      orderByExpressions[last] as string,
      key,
      orderBy[last] === 'Descending',
      isLast && isSameTaken,
    );
    return `(${[...equal, `(${behind})`].join(' AND ')})`;
  });
  return parts.join(' OR ');
}

function equals(expression: string, key: Value): string {
  return key === undefined ? `NOT IS_DEFINED(${expression})` : `${expression} = ${JSON.stringify(key)}`;
}

function behindKey(expression: string, key: Value, isDescending: boolean, isSameTaken: boolean): string {
  if (key === undefined) {
    if (isDescending) return isSameTaken ? `NOT IS_DEFINED(${expression})` : 'false';
    return isSameTaken ? 'true' : `IS_DEFINED(${expression})`;
  }
  const operator = `${isDescending ? '<' : '>'}${isSameTaken ? '=' : ''}`;
  // True and false have one test.
  const place = questions.findIndex(({ rank }) => rank >= jsonTypeRank(key));
  const others = questions.filter((_, at) => (isDescending ? at < place : at > place));
  const tests = others.map(({ question }) => ` OR ${question}(${expression})`).join('');
  return ` ${expression} ${operator} ${JSON.stringify(key)}${tests} `;
}

/** In the order of types; the rank is the last one that each is true of. */
const questions: readonly { readonly question: string; readonly rank: number }[] = [
  { question: 'NOT IS_DEFINED', rank: 0 },
  { question: 'IS_NULL', rank: 1 },
  { question: 'IS_BOOLEAN', rank: 3 },
  { question: 'IS_NUMBER', rank: 4 },
  { question: 'IS_STRING', rank: 5 },
  { question: 'IS_ARRAY', rank: 6 },
  { question: 'IS_OBJECT', rank: 7 },
];
