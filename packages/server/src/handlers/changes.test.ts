import { openDatabase } from '@tidemark/engine';
import { parseResourcePath } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { HandlerContext } from '../handler.ts';
import { headerIn } from '../header-list.ts';
import type { CosmosRequest } from '../request.ts';
import type { Wake } from '../waiting-room.ts';
import { readChanges } from './changes.ts';

test('[B1] [M6] a wait that the server ends passes nothing that came after it looked', async () => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  const container = await database.createContainer('db', { id: 'c', partitionKey: { paths: ['/pk'] } });
  const wait = async (): Promise<Wake> => {
    await container.create({ id: '1', pk: 'a' });
    return 'closing';
  };
  const path = parseResourcePath('/dbs/db/colls/c/docs');
  const headers = { 'a-im': 'Incremental Feed', prefer: 'wait=5' };
  const request = { verb: 'GET', path, headers, apiVersion: undefined, isSecure: false } as unknown as CosmosRequest;
  // All of it that a wait uses.
  const context = { database, room: { wait }, recheck: () => {} } as unknown as HandlerContext;

  const answer = await readChanges(request, context);

  expect([answer?.status, headerIn(answer?.headers ?? [], 'etag')]).toEqual([304, '"0"']);
});
