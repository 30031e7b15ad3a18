import { expect, test } from 'vitest';
import { computedPartsMax, problemsMax } from '../limits.ts';
import { PreparedQueries } from '../prepared-queries.ts';
import { prepareQuery } from '../query.ts';
import { QueryError, wireMessage } from '../query-error.ts';
import { readContainerFacts } from './container-facts.ts';

test('[query 6] of a text that is wrong all over the first mistakes are told, and how many more there are', () => {
  const wrong = (count: number): QueryError => {
    const names = Array.from({ length: count }, (_, at) => `n${at}`);
    try {
      prepareQuery(`SELECT VALUE [${names}] FROM c`, []);
    } catch (error) {
      if (error instanceof QueryError) return error;
    }
    throw new Error('it was understood');
  };

  expect(wrong(problemsMax).problems).toHaveLength(problemsMax);
  expect(wrong(problemsMax + 1).problems.at(-1)?.message).toBe('There is 1 more mistake in the query.');
  const { problems, message } = wrong(60_000);
  expect(problems).toHaveLength(problemsMax + 1);
  expect(message).toMatch(/There are 59900 more mistakes in the query\.$/);
  expect(wireMessage(problems)).toContain('"code":"SC2001","message":"Identifier \'n99\' could not be resolved."}');
  expect(wireMessage(problems)).not.toContain("'n100'");
});

test('[query 1.4] a parameter is found without a walk along all the others', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `@p${at}`);
  let looks = 0;
  const given = new Proxy(names, {
    get: (target, name, receiver) => {
      looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });

  const { program } = prepareQuery(`SELECT VALUE [${[...names].reverse()}]`, given);

  const { selection } = program.query.block;
  const expression = selection.kind === 'value' ? selection.expression : undefined;
  expect(expression?.kind === 'array' && expression.items[0]).toEqual({ kind: 'parameter', place: 4_999 });
  expect(looks).toBeLessThan(10 * names.length);
});

test('[query 4] what stands for computed properties is bounded, however often a query names one', () => {
  const parts = 1_024;
  // An array, and for each element the alias and its member.
  const query = `SELECT VALUE [${Array.from({ length: parts / 2 - 1 }, () => 'c.n')}, 1] FROM c`;
  const facts = readContainerFacts({ computedProperties: [{ name: 'long', query }] });
  const prepare = (count: number) => prepareQuery(`SELECT VALUE [${Array(count).fill('c.long')}] FROM c`, [], facts);

  expect(prepare(computedPartsMax / parts).program.query.computedParts).toBe(computedPartsMax);
  expect(() => prepare(computedPartsMax / parts + 1)).toThrow(
    'The query names computed properties so often that their expressions have more than 65536 parts altogether. ' +
      'Name them less often, or make them shorter.',
  );
});

test('[query 4] of prepared queries that name computed properties fewer are kept', () => {
  const query = `SELECT VALUE [${Array.from({ length: 10_000 }, () => '1')}] FROM c`;
  const facts = readContainerFacts({ computedProperties: [{ name: 'long', query }] });
  const queries = new PreparedQueries();
  const texts = Array.from({ length: 40 }, (_, at) => `SELECT VALUE [c.long, ${at}] FROM c`);

  const prepared = texts.map((text) => queries.prepare(text, [], facts));

  const kept = texts.toReversed().filter((text, at) => queries.prepare(text, [], facts) === prepared.at(-1 - at));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(30);
});
