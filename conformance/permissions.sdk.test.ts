// Users, permissions and resource tokens with the official SDK: by `permissionFeed` and by `resourceTokens`.

import type { CosmosClientOptions, Container as SdkContainer, User } from '@azure/cosmos';
import { ChangeFeedStartFrom, CosmosClient, PermissionMode } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;
let user: User;
beforeAll(async () => {
  world = await World.open();
  const database = await world.sdkDatabase();
  ({ user } = await database.users.create({ id: 'reader' }));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function clientWith(options: Partial<CosmosClientOptions>): CosmosClient {
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
  return new CosmosClient({ endpoint: world.url, connectionPolicy, ...options });
}

async function filled(): Promise<SdkContainer> {
  const container = await world.container();
  for (const pk of ['a', 'b']) await container.items.create({ id: `${pk}1`, pk });
  return container;
}

describe('[wire 14] the SDK', () => {
  test('creates, reads, lists, replaces and deletes users and permissions', async () => {
    const database = await world.sdkDatabase();
    const { user: own, resource: created } = await database.users.upsert({ id: 'own' });
    expect(created).toMatchObject({ id: 'own', _permissions: 'permissions/' });
    const { resources: users } = await database.users.readAll().fetchAll();
    expect(users.map(({ id }) => id)).toContain('own');
    const container = await filled();
    const definition = { id: 'p', permissionMode: PermissionMode.Read, resource: container.url };
    const { permission, resource } = await own.permissions.create(definition, { resourceTokenExpirySeconds: 60 });
    expect(resource).toMatchObject({ ...definition, _token: expect.stringContaining('type=resource') });
    expect((await permission.read()).resource).toMatchObject(definition);
    const changed = { ...definition, id: 'q', permissionMode: PermissionMode.All };
    expect((await permission.replace(changed)).resource).toMatchObject(changed);
    const { resources: permissions } = await own.permissions.readAll().fetchAll();
    expect(permissions.map(({ id }) => id)).toEqual(['q']);
    await own.permission('q').delete();
    await expect(own.permission('q').read()).rejects.toMatchObject({ code: 404 });
    await own.replace({ id: 'renamed' });
    await database.user('renamed').delete();
    await expect(database.user('renamed').read()).rejects.toMatchObject({ code: 404 });
  });
});

describe('[M18] the SDK with tokens', () => {
  test('reads and writes a container by permissionFeed, and nothing else', async () => {
    const [container, other] = [await filled(), await filled()];
    await user.permissions.create({
      id: `all ${container.id}`,
      permissionMode: PermissionMode.All,
      resource: container.url,
    });
    const { resources: permissionFeed } = await user.permissions.readAll().fetchAll();
    const client = clientWith({ permissionFeed: permissionFeed.filter(({ id }) => id === `all ${container.id}`) });
    const own = client.database('db').container(container.id);

    expect((await own.items.create({ id: 'a2', pk: 'a' })).statusCode).toBe(201);
    expect((await own.item('a2', 'a').read()).resource.id).toBe('a2');
    await own.item('a2', 'a').patch([{ op: 'add', path: '/n', value: 1 }]);
    expect((await own.items.readAll().fetchAll()).resources.length).toBe(3);
    const feed = own.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
    expect((await feed.readNext()).result.map(({ id }) => id)).toEqual(['a1', 'b1', 'a2']);
    await own.items.batch([{ operationType: 'Delete', id: 'a2' }], 'a');
    const elsewhere = client.database('db').container(other.id);
    // It has no token for it, and sends none.
    await expect(elsewhere.item('a1', 'a').read()).rejects.toThrow();
    client.dispose();
  });

  test('reads by resourceTokens, and a write is 403', async () => {
    const container = await filled();
    const definition = { id: `read ${container.id}`, permissionMode: PermissionMode.Read, resource: container.url };
    const { resource } = await user.permissions.create(definition);
    const client = clientWith({
      resourceTokens: { [container.url]: resource?._token ?? '', [container.id]: resource?._token ?? '' },
    });
    const own = client.database('db').container(container.id);
    expect((await own.item('a1', 'a').read()).resource.id).toBe('a1');
    expect((await own.read()).resource?.id).toBe(container.id);
    await expect(own.items.create({ id: 'n', pk: 'a' })).rejects.toMatchObject({ code: 403 });
    await expect(own.delete()).rejects.toMatchObject({ code: 403 });
    client.dispose();
  });

  test('stays within one partition key', async () => {
    const container = await filled();
    const { resource } = await user.permissions.create({
      id: `key ${container.id}`,
      permissionMode: PermissionMode.All,
      resource: container.url,
      resourcePartitionKey: ['a'],
    });
    const client = clientWith({ permissionFeed: resource === undefined ? [] : [resource] });
    const own = client.database('db').container(container.id);
    expect((await own.item('a1', 'a').read()).resource.id).toBe('a1');
    await own.items.upsert({ id: 'a3', pk: 'a' });
    await expect(own.item('b1', 'b').read()).rejects.toMatchObject({ code: 403 });
    await expect(own.items.create({ id: 'b3', pk: 'b' })).rejects.toMatchObject({ code: 403 });
    const mine = await own.items.query('SELECT * FROM c', { partitionKey: 'a' }).fetchAll();
    expect(mine.resources.map(({ id }) => id)).toEqual(['a1', 'a3']);
    await expect(own.items.query('SELECT * FROM c').fetchAll()).rejects.toMatchObject({ code: 403 });
    client.dispose();
  });
});

test("[M18] [SEC4] a document called '..' cannot bring down its container: clients make another path of it, which is refused", async () => {
  const container = await filled();
  await container.items.create({ id: '..', pk: 'a' });
  const { resource } = await user.permissions.create({
    id: `dots ${container.id}`,
    permissionMode: PermissionMode.All,
    resource: container.url,
  });
  if (resource === undefined) throw new Error('there is no permission');
  const withToken = clientWith({ permissionFeed: [resource] })
    .database('db')
    .container(container.id);
  await withToken.items.upsert({ id: 'b', pk: 'a' });

  await expect(container.item('..', 'a').delete()).rejects.toMatchObject({ code: 401 });
  await expect(withToken.item('..', 'a').delete()).rejects.toMatchObject({ code: 400 });
  await expect(withToken.item('..', 'a').replace({ id: '..', pk: 'a' })).rejects.toMatchObject({ code: 400 });
  await expect(withToken.item('..', 'a').read()).rejects.toMatchObject({ code: 400 });

  expect((await container.read()).statusCode).toBe(200);
  expect((await container.item('b', 'a').read()).statusCode).toBe(200);
});
