import { Buffer } from 'node:buffer';
import { isDatabaseError } from '@tidemark/model';
import { sizeOf } from '@tidemark/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { functionFamilies } from '../src/functions/function-table.ts';
import type { ArgumentType } from '../src/functions/signature.ts';
import { signatureOf } from '../src/functions/signature.ts';
import { stepsPerDocumentMax } from '../src/limits.ts';
import { prepareQuery } from '../src/query.ts';
import { QueryRun } from '../src/run/query-run.ts';
import type { Value } from '../src/value/value.ts';
import { Work } from '../src/value/work.ts';
import { pageContext } from './all-pages.ts';

const stepsEach = sizeOf('stepFactor');
const stepsMax = stepsPerDocumentMax / stepsEach;

beforeAll(() => {
  const { take } = Work.prototype;
  vi.spyOn(Work.prototype, 'take').mockImplementation(function (this: Work, steps, sentence) {
    take.call(this, stepsEach * steps, sentence);
  });
});

afterAll(() => vi.restoreAllMocks());

const text = 'aı'.repeat(500_000);
const numbers = Array.from({ length: 300_000 }, (_, at) => at);
const members = Object.fromEntries(numbers.slice(0, 100_000).map((at) => [`n${at}`, at]));
const parameters: readonly (readonly [name: string, value: Value, leastSteps: number])[] = [
  ['@text', text, text.length / 8],
  ['@numbers', numbers, numbers.length],
  ['@members', members, 1],
  ['@number', 3, 1],
  ['@yes', true, 1],
];

/** What stands for an argument of a type: the largest that there is. */
const largest: Readonly<Record<ArgumentType, readonly string[]>> = {
  any: ['@text', '@numbers', '@members', '@number'],
  maybe: ['@text', '@numbers', '@members', '@number'],
  number: ['@number'],
  integer: ['@number'],
  string: ['@text'],
  boolean: ['@yes'],
  array: ['@numbers'],
  object: ['@members'],
};

/** How often the call was reached before the query ended, by what it ended with. */
function callsOf(call: string): { readonly calls: number; readonly error: unknown } {
  let calls = 0;
  const random = (): number => {
    calls += 1;
    return 0;
  };
  const list = Array.from({ length: 1000 }, (_, at) => at);
  const bytes = Buffer.from(JSON.stringify({ list }));
  const query = `SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list WHERE RAND() = 0 AND ${call} = @yes`;
  const { program } = prepareQuery(
    query,
    parameters.map(([name]) => name),
  );
  const values = parameters.map(([, value]) => value);
  const context = { ...pageContext, random };
  const run = new QueryRun(program, { parameters: values, context, itemsMax: 1, bytesMax: 1, from: undefined });
  try {
    run.add(bytes, 0, bytes.length - 1, 1);
    return { calls, error: undefined };
  } catch (error) {
    return { calls, error };
  }
}

describe('[wire 12] a join of a million rows ends with a sentence, whatever function it calls with large values', () => {
  const all = functionFamilies.flatMap(({ functions }) => functions);
  test.each(all.map((each) => [each.name, each] as const))('%s', (name, { takes }) => {
    const { types, argsMin, argsMax } = signatureOf(takes);
    const variants = Math.max(1, ...types.map((type) => largest[type].length));
    for (let variant = 0; variant < variants; variant += 1) {
      for (const count of new Set([argsMin, Math.min(argsMax, types.length + 1)])) {
        const args = Array.from({ length: count }, (_, place) => {
          const names = largest[types[Math.min(place, types.length - 1)] ?? 'any'];
          return names[variant % names.length];
        });
        const leastSteps = args.map((arg) => parameters.find(([known]) => known === arg)?.[2] ?? 1);
        const least = leastSteps.reduce((sum, steps) => sum + steps, 1);

        const { calls, error } = callsOf(`${name}(${args.join(', ')})`);

        expect(isDatabaseError(error) && error.code, args.join(', ')).toBe('bad-request');
        expect(calls, args.join(', ')).toBeLessThanOrEqual(stepsMax / least + 1);
      }
    }
  });
});
