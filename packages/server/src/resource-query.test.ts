import { EventEmitter } from 'node:events';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { systemEnvironment } from '@tidemark/engine/internal';
import { expect, test } from 'vitest';
import type { HandlerContext } from './handler.ts';
import type { CosmosRequest } from './request.ts';
import type { RowPage } from './resource-query.ts';
import { queryResources } from './resource-query.ts';

const count = 400;
const users = Array.from({ length: count }, (_, at) => ({ number: count - at, id: `${count - at}` }));

interface Asked {
  readonly database: Database;
  readonly query: string;
  readonly client?: EventEmitter;
  readonly onShown?: (number: number) => void;
}

function ask({ database, query, client = new EventEmitter(), onShown }: Asked): Promise<RowPage> {
  const body = Buffer.from(JSON.stringify({ query }));
  const request = { verb: 'POST', path: { kind: 'user' }, headers: {}, body } as unknown as CosmosRequest;
  const outgoing = client as unknown as HandlerContext['outgoing'];
  return queryResources(request, { database, outgoing }, users, ({ number, id }) => {
    onShown?.(number);
    return { id, even: number % 2 === 0 };
  });
}

/** Its time goes on by so much whenever somebody looks at it, and its turns are counted. */
function slowEnvironment(stepMs: number) {
  const environment = systemEnvironment();
  const { clock } = environment;
  const seen = { turns: 0, ms: 0, stepMs: 0 };
  const slow = {
    ...clock,
    monotonicMs: () => {
      seen.ms += seen.stepMs;
      return clock.monotonicMs() + seen.ms;
    },
    nextTurn: () => {
      seen.turns += 1;
      return clock.nextTurn();
    },
  };
  return {
    environment: { ...environment, clock: slow },
    begin: () => {
      seen.turns = 0;
      seen.stepMs = stepMs;
    },
    seen,
  };
}

test('[wire 12] others have a turn between slices of a query over users', async () => {
  for (const query of ['SELECT VALUE u.id FROM u', 'SELECT VALUE u.id FROM u ORDER BY u.id']) {
    const { environment, begin, seen } = slowEnvironment(1);
    await using database = await openDatabase({ memory: true, environment });
    begin();

    const { rows } = await ask({ database, query });

    expect(rows).toHaveLength(count);
    expect(seen.turns, query).toBeGreaterThan(count);
  }
});

test('[wire 12] a query over users ends after 30 seconds with a sentence', async () => {
  const { environment, begin } = slowEnvironment(100);
  await using database = await openDatabase({ memory: true, environment });
  begin();

  const asked = ask({ database, query: 'SELECT VALUE COUNT(1) FROM u' });

  await expect(asked).rejects.toThrow('The query had not come to its end after 30 seconds.');
});

test('[wire 12] nothing more is looked at when the client has gone away', async () => {
  const { environment, begin } = slowEnvironment(1);
  await using database = await openDatabase({ memory: true, environment });
  const client = new EventEmitter();
  let shown = 0;
  begin();

  const asked = ask({
    ...{ database, client, query: 'SELECT VALUE COUNT(1) FROM u' },
    onShown: (number) => {
      shown += 1;
      if (number === 10) client.emit('close');
    },
  });

  await expect(asked).rejects.toMatchObject({ code: 'request-timeout' });
  expect(shown).toBeLessThan(20);
  expect(client.listenerCount('close')).toBe(0);
});

test('[wire 12] queries over users wait for a place among all queries', async () => {
  await using database = await openDatabase({ memory: true });
  const ends: (() => void)[] = [];
  const others = Array.from({ length: 100 }, () =>
    database.queries.run('blocking', () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  let shown = 0;

  const asked = ask({ database, query: 'SELECT VALUE COUNT(1) FROM u', onShown: () => (shown += 1) });
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown).toBe(0);

  for (let at = 0; at < others.length; at += 1) {
    ends[at]?.();
    await others[at];
  }
  expect((await asked).rows).toEqual([`${count}`]);
});

test('[wire 12] rows come in the order of creation, and a query without FROM has one', async () => {
  await using database = await openDatabase({ memory: true });

  const even = await ask({ database, query: 'SELECT TOP 3 VALUE u.id FROM u WHERE u.even' });
  const one = await ask({ database, query: 'SELECT VALUE 1' });

  expect(even).toEqual({ rows: ['"2"', '"4"', '"6"'], continuation: undefined });
  expect(one).toEqual({ rows: ['1'], continuation: undefined });
});
