// Queries that mean harm: each is answered with rows or with a sentence, none with a 500, and others are answered meanwhile.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import { queryHeaders } from './query-clients.ts';
import type { Made } from './raw.ts';
import { makeIn, pk, putIn } from './raw.ts';

let world: World;
let made: Made;
beforeAll(async () => {
  world = await World.open();
  made = await makeIn(world, { throughput: 12_000 });
  const numbers = Array.from({ length: 2_000 }, (_, n) => n);
  for (const id of ['1', '2', '3', '4'])
    await putIn(world, made, { id, pk: id, numbers, few: numbers.slice(0, 100), text: 'ab'.repeat(15_000) });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function ask(query: string, parameters: object[] = []): Promise<RawResponse> {
  return world.fetch('POST', made.docs, { headers: queryHeaders, body: { query, parameters } });
}

/** Reads until the query has ended, one after the other. */
async function beside(query: Promise<RawResponse>): Promise<{ answer: RawResponse; reads: number }> {
  let isOver = false;
  const ended = query.finally(() => {
    isOver = true;
  });
  let reads = 0;
  for (; !isOver; reads += 1) {
    expect((await world.fetch('GET', `${made.docs}/1`, { headers: pk('1') })).status).toBe(200);
  }
  return { answer: await ended, reads };
}

const nested = (depth: number, open: string, inner: string, close: string): string =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;

const tooDeep: Readonly<Record<string, string>> = {
  parentheses: `SELECT VALUE ${nested(50_000, '(', '1', ')')}`,
  arrays: `SELECT VALUE ${nested(50_000, '[', '', ']')}`,
  objects: `SELECT VALUE ${nested(50_000, '{"a":', '1', '}')}`,
  signs: `SELECT VALUE ${'- '.repeat(50_000)}1`,
  nots: `SELECT VALUE ${'NOT '.repeat(50_000)}true`,
  calls: `SELECT VALUE ${nested(20_000, 'ABS(', '1', ')')}`,
  subqueries: `SELECT VALUE ${nested(5_000, '(SELECT VALUE ', '1', ')')}`,
  'sources in sources': `SELECT * FROM ${nested(5_000, '(SELECT * FROM ', 'c', ')')}`,
  choices: `SELECT VALUE ${nested(20_000, 'true ? ', '1', ' : 2')}`,
  comparisons: `SELECT VALUE ${'1 = '.repeat(50_000)}1`,
};

test.each(Object.entries(tooDeep))('[SEC15] what is nested too deeply is refused: %s', async (_, query) => {
  const { status, json } = await ask(query);

  expect(status).toBe(400);
  expect(json.message.length).toBeLessThan(2_000);
});

test('[SEC15] parameters that nest deeper than documents are refused', async () => {
  const ask = (path: string, depth: number): Promise<RawResponse> => {
    const value = nested(depth / 2, '{"a":[', '', ']}');
    const body = `{"query":"SELECT VALUE @p FROM c","parameters":[{"name":"@p","value":${value}}]}`;
    return world.fetch('POST', path, { headers: queryHeaders, body });
  };

  for (const path of [made.docs, '/dbs']) {
    expect((await ask(path, 128)).status).toBe(200);
    for (const depth of [130, 9_000, 100_000]) {
      const { status, json } = await ask(path, depth);
      expect(status).toBe(400);
      expect(json.message).toContain('The value of the parameter @p nests deeper than 128 levels');
    }
  }
});

test('[SEC15] lists and members by the thousand are answered', async () => {
  const many = Array.from({ length: 30_000 }, (_, n) => `"${n}"`).join(', ');
  const listed = await ask(`SELECT VALUE c.id FROM c WHERE c.id IN (${many}) AND c.numbers[3] = 3`);
  const ored = Array.from({ length: 500 }, (_, n) => `c.id = "${n}"`).join(' OR ');
  const alternatives = await ask(`SELECT VALUE COUNT(1) FROM c WHERE ${ored}`);
  const given = await ask('SELECT VALUE COUNT(1) FROM c WHERE ARRAY_CONTAINS(@list, c.id)', [
    { name: '@list', value: Array.from({ length: 100_000 }, (_, n) => String(n)) },
  ]);

  const coalesced = await ask(`SELECT VALUE ${'c.x ?? '.repeat(50_000)}1 FROM c`);

  expect([listed.status, alternatives.json.Documents, given.json.Documents]).toEqual([200, [4], [4]]);
  expect(coalesced.status).toBe(200);
});

test('[SEC15] arrays with each other end at the bound of rows a document may make, and others are served', async () => {
  const joined = 'SELECT VALUE COUNT(1) FROM c JOIN a IN c.numbers JOIN b IN c.numbers JOIN d IN c.numbers';
  const { answer, reads } = await beside(ask(joined));

  expect(answer.status).toBe(400);
  expect(answer.json.message).toContain('1000000');
  expect(reads).toBeGreaterThan(0);
});

test('[SEC15] expressions that would take for ever end, and others are served', async () => {
  const bombs = [
    "RegexMatch(c.text, '^(a|b|ab)*(a|b)*(ab)*x$')",
    "RegexMatch(c.text, '(((a*)*)*)*c')",
    `c.text LIKE '${'%a%b'.repeat(2_000)}%x'`,
    `RegexMatch(c.text, '${'(a?b?)*'.repeat(300)}x')`,
    "RegexMatch(c.text, '(?=x)')",
    "RegexMatch(c.text, '((a{1,100}){1,100}){1,100}x')",
  ];
  for (const bomb of bombs) {
    const { answer } = await beside(ask(`SELECT VALUE COUNT(1) FROM c WHERE ${bomb}`));

    expect([200, 400, 501], bomb).toContain(answer.status);
    if (answer.status === 200) expect(answer.json.Documents, bomb).toEqual([0]);
    else expect(answer.json.message.length, bomb).toBeLessThan(2_000);
  }
});

test('[SEC15] values that grow with every step end at the bound of a value', async () => {
  let doubled = 'REPLICATE("x", 10000)';
  for (let n = 0; n < 30; n += 1) doubled = `CONCAT(${doubled}, ${doubled.length < 4_000 ? doubled : '""'})`;
  const inner = Array.from({ length: 24 }, (_, n) => `(SELECT VALUE ARRAY_CONCAT(x${n}, x${n}) FROM (SELECT VALUE `);
  const arrays = 'SELECT VALUE ARRAY_CONCAT(c.numbers, c.numbers, c.numbers, c.numbers) FROM c';
  for (const query of [`SELECT VALUE ${doubled}`, `SELECT VALUE StringToArray(${doubled})`, arrays, inner.join('')]) {
    const answer = await ask(query);

    expect(answer.status, query.slice(0, 100)).toBeLessThan(500);
    expect(answer.text.length, query.slice(0, 100)).toBeLessThan(6 * 1024 * 1024);
  }
});

test('[SEC15] heavy queries by the dozen: each is answered, and so are others', async () => {
  const sorted = 'SELECT VALUE c.id FROM c JOIN a IN c.numbers ORDER BY c.id DESC';
  const counted = 'SELECT VALUE COUNT(1) FROM c JOIN a IN c.numbers JOIN b IN c.few';
  const asked = Array.from({ length: 24 }, (_, n) => ask(n % 2 === 0 ? counted : `${sorted} OFFSET ${n} LIMIT 5`));
  const { reads } = await beside(Promise.all(asked).then(([first]) => first as RawResponse));
  const answers = await Promise.all(asked);

  expect(reads).toBeGreaterThan(0);
  expect(answers.filter((_, n) => n % 2 === 0).map(({ json }) => json.Documents)).toEqual(
    Array.from({ length: 12 }, () => [4 * 2_000 * 100]),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('[SEC15] names of prototypes are names like all others', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  for (const name of names) {
    expect((await ask(`SELECT VALUE c["${name}"] FROM c`)).json.Documents).toEqual([]);
    const grouped = await ask(`SELECT c.id AS ${name}, COUNT(1) AS n FROM c WHERE c.id = '1' GROUP BY c.id`);
    expect(grouped.text).toContain(`{"${name}":"1","n":1}`);
    if (name !== 'toString') expect((await ask(`SELECT VALUE ${name}(1)`)).status).toBe(400);
    const object = await ask(`SELECT VALUE {"${name}": {"a": 1}}["${name}"].a`);
    expect(object.json.Documents).toEqual([1]);
    expect((await ask(`SELECT VALUE @${name}`, [{ name: `@${name}`, value: 7 }])).json.Documents).toEqual([7]);
  }
});
