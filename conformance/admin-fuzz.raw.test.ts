// The admin API under requests that make no sense: each is answered with an error that is the client's.

import { freshSeed, isLong, SeededRandom } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { World } from './harness.ts';
import { adminIn, makeIn } from './raw.ts';

const requests = 1_500;

test('[SEC15] whatever is sent to it, nothing fails on the server’s side and every answer is JSON', async () => {
  const statuses = await expectAnswers(20_261_115);

  // Requests that never get past the first check would prove little. Another seed may miss the rare ones by chance.
  expect(statuses).toEqual(expect.arrayContaining([200, 201, 400, 403, 404, 405, 410]));
});

test.runIf(isLong)('nor does it with requests that are drawn anew with every commit', async () => {
  await expectAnswers(freshSeed('requests to the admin API'));
});

/** Which statuses came. */
async function expectAnswers(seed: number): Promise<number[]> {
  await using world = await World.open({ chaos: true, logLevel: 'debug', logStream: { write: () => {} } });
  const { id } = await makeIn(world);
  const random = new SeededRandom(seed);
  const statuses = new Set<number>();

  for (let i = 0; i < requests; i += 1) {
    const verb = random.pick(['GET', 'POST', 'POST', 'POST', 'DELETE', 'PUT']);
    const path = pathOf(random, id);
    const body = verb === 'GET' ? undefined : bodyOf(random);
    const answer = await adminIn(world, verb, path, body);
    statuses.add(answer.status);
    // The state of the database never makes these fail; 503 would be a fault that strikes the admin API itself.
    const what = [`request ${i} of seed ${seed}`, verb, path, body];
    expect([...what, answer.status < 500]).toEqual([...what, true]);
    if (answer.status >= 400) expect(answer.json).toEqual({ code: expect.any(String), message: expect.any(String) });
  }

  return [...statuses];
}

function pathOf(random: SeededRandom, container: string): string {
  const name = (): string =>
    random.pick(['db', container, 'none', '%20', '%E2%82%AC', 'a%2Fb', '..%2F..', '0', '1', '2']);
  return random.pick([
    `/_tidemark/dbs/db/colls/${container}/${random.pick(['split', 'merge', 'ranges', 'other'])}`,
    `/_tidemark/dbs/${name()}/colls/${name()}/${random.pick(['split', 'merge', 'ranges'])}`,
    `/_tidemark/${random.pick(['backup', 'check', 'jobs', 'faults', 'metrics', 'health', 'nothing'])}`,
    `/_tidemark/${random.pick(['jobs', 'faults', 'backup'])}/${name()}`,
    '/_tidemark/faults',
    '/_tidemark',
  ]);
}

function bodyOf(random: SeededRandom): unknown {
  const value = (depth = 0): unknown => {
    const kind = random.int(depth > 3 ? 7 : 9);
    switch (kind) {
      case 0:
        return random.pick([
          '0',
          '1',
          '2',
          '',
          'AA',
          'ff',
          'zz',
          '../x',
          '\u0000',
          'before',
          'after',
          'read',
          '429',
          'x'.repeat(3_000),
        ]);
      case 1:
        return random.pick([0, 1, -1, 1.5, 1e308, 2 ** 53, 60_001]);
      case 2:
        return random.bool();
      case 3:
        return null;
      case 4:
        return random.pick(['429', '503', '410', '449', 'latency', 'reset']);
      case 5:
        return random.float();
      case 6:
        return random.int(100);
      case 7:
        return Array.from({ length: random.int(4) }, () => value(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: random.int(4) }, (_, i) => [`m${i}`, value(depth + 1)]));
    }
  };
  if (random.bool(0.05))
    return random.pick(['', '{', '[]', '"x"', 'null', '[[[[[', '\u0000', '{"range":"0","range":1}']);
  // Near to what makes sense, and more often than by chance.
  if (random.bool(0.3)) {
    const sensible = ['{}', '{"range":"0"}', '{"ranges":["1","2"]}', '{"kind":"503","operation":"query","count":1}'];
    return random.pick(sensible);
  }
  const names = [
    ...['range', 'ranges', 'at', 'partitionKey', 'name', 'kind', 'when', 'operation', 'database', 'container'],
    ...['probability', 'seed', 'count', 'durationMs', 'retryAfterMs', 'latencyMs', '__proto__', 'constructor', 'other'],
  ];
  const count = 1 + random.int(3);
  const members = Array.from(
    { length: count },
    () => `${JSON.stringify(random.pick(names))}:${JSON.stringify(value())}`,
  );
  return `{${members.join(',')}}`;
}
