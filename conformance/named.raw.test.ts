// Client encryption keys, conflicts, and scripts as far as they go.

import type { EncryptionKeyResolver } from '@azure/cosmos';
import { CosmosClient, EncryptionAlgorithm, EncryptionKeyResolverName, EncryptionType } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';
import { makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe('[wire 14] client encryption keys', () => {
  const keys = '/dbs/db/clientencryptionkeys';
  const key = (id: string) => ({
    id,
    encryptionAlgorithm: 'AEAD_AES_256_CBC_HMAC_SHA256',
    keyWrapMetadata: { type: 'custom', name: 'kek', value: 'https://keys/1', algorithm: 'RSA-OAEP' },
    wrappedDataEncryptionKey: 'd3JhcHBlZA==',
  });

  test('create, read, list, replace', async () => {
    const created = await world.fetch('POST', keys, { body: key('k') });
    expect([created.status, created.json]).toEqual([
      201,
      {
        ...key('k'),
        _rid: expect.any(String),
        _self: expect.stringMatching(/^dbs\/.+\/clientencryptionkeys\/.+\/$/),
        _etag: created.headers.get('etag'),
        _ts: expect.any(Number),
      },
    ]);
    expect((await world.fetch('POST', keys, { body: key('k') })).status).toBe(409);
    expect((await world.fetch('GET', keys)).json).toMatchObject({ ClientEncryptionKeys: [created.json], _count: 1 });
    expect((await world.fetch('GET', `${keys}/k`)).json).toEqual(created.json);
    const fresh = { 'if-none-match': created.json._etag };
    expect((await world.fetch('GET', `${keys}/k`, { headers: fresh })).status).toBe(304);
    const rewrapped = { ...key('k'), wrappedDataEncryptionKey: 'YWdhaW4=' };
    const replaced = await world.fetch('PUT', `${keys}/k`, {
      body: rewrapped,
      headers: { 'if-match': created.json._etag },
    });
    expect([replaced.status, replaced.json.wrappedDataEncryptionKey]).toEqual([200, 'YWdhaW4=']);
    const stale = { body: rewrapped, headers: { 'if-match': created.json._etag } };
    expect((await world.fetch('PUT', `${keys}/k`, stale)).status).toBe(412);
    expect((await world.fetch('PUT', `${keys}/k`, { body: key('other') })).status).toBe(400);
    expect((await world.fetch('GET', `${keys}/none`)).status).toBe(404);
    expect((await world.fetch('DELETE', `${keys}/k`)).status).toBe(405);
    for (const missing of ['id', 'encryptionAlgorithm', 'keyWrapMetadata', 'wrappedDataEncryptionKey']) {
      const body = { ...key('x'), [missing]: undefined };
      expect((await world.fetch('POST', keys, { body })).status, missing).toBe(400);
    }
    await world.restart();
    expect((await world.fetch('GET', `${keys}/k`)).json).toEqual(replaced.json);
  });

  test('the SDK encrypts with a key that is kept here, and reads back what it wrote', async () => {
    // Stands for a key vault: what it wraps only it can unwrap.
    const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x5a);
    const keyEncryptionKeyResolver: EncryptionKeyResolver = {
      encryptionKeyResolverName: EncryptionKeyResolverName.AzureKeyVault,
      wrapKey: async (_id, _algorithm, bytes) => Buffer.from(flipped(bytes)),
      unwrapKey: async (_id, _algorithm, bytes) => Buffer.from(flipped(bytes)),
    };
    const client = new CosmosClient({
      endpoint: world.url,
      key: wellKnownKey,
      connectionPolicy: { enableBackgroundEndpointRefreshing: false },
      clientEncryptionOptions: { keyEncryptionKeyResolver },
    });
    const database = client.database('db');
    const metadata = {
      type: EncryptionKeyResolverName.AzureKeyVault,
      name: 'kek',
      value: 'https://keys/1',
      algorithm: 'RSA-OAEP',
    } as const;
    await database.createClientEncryptionKey(
      'sdk',
      EncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256,
      metadata as never,
    );
    const { container } = await database.containers.create({
      id: 'encrypted',
      partitionKey: { paths: ['/pk'], version: 2 },
      clientEncryptionPolicy: {
        policyFormatVersion: 2,
        includedPaths: [
          {
            path: '/secret',
            clientEncryptionKeyId: 'sdk',
            encryptionType: EncryptionType.DETERMINISTIC,
            encryptionAlgorithm: EncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256,
          },
        ],
      },
    });
    await container.items.create({ id: '1', pk: 'a', secret: 'rosebud' });

    expect((await container.item('1', 'a').read()).resource).toMatchObject({ secret: 'rosebud' });
    const stored = await world.fetch('GET', '/dbs/db/colls/encrypted/docs/1', { headers: pk('a') });
    expect(stored.json.secret).not.toBe('rosebud');
    client.dispose();
  });

  test('a container that took the place of another is not the one that is meant: 400 with substatus 1024', async () => {
    const made = await makeIn(world);
    const path = made.docs.slice(0, -5);
    const { json: before } = await world.fetch('GET', path);
    await world.fetch('DELETE', path);
    const { json: container } = await world.fetch('POST', '/dbs/db/colls', { body: { ...before, id: made.id } });
    await putIn(world, made, { id: '1', pk: 'a' });
    const meant = (rid: string) => ({ ...pk('a'), 'x-ms-cosmos-intended-collection-rid': rid });
    expect((await world.fetch('GET', `${made.docs}/1`, { headers: meant(container._rid) })).status).toBe(200);
    const other = await world.fetch('GET', `${made.docs}/1`, { headers: meant(before._rid) });
    expect([other.status, other.headers.get('x-ms-substatus'), other.json.code]).toEqual([400, '1024', 'BadRequest']);
    const write = { headers: meant(before._rid), body: { id: '2', pk: 'a' } };
    expect((await world.fetch('POST', made.docs, write)).status).toBe(400);
    expect((await world.fetch('GET', made.docs)).json._count).toBe(1);
  });
});

describe('[wire 14] what a container has none of', () => {
  test('lists are empty, nothing is found, and what would make one is 501 by name', async () => {
    const made = await makeIn(world);
    const path = made.docs.slice(0, -5);
    for (const [type, array, name] of [
      ['conflicts', 'Conflicts', undefined],
      ['sprocs', 'StoredProcedures', 'Stored procedures'],
      ['triggers', 'Triggers', 'Triggers'],
      ['udfs', 'UserDefinedFunctions', 'User defined functions'],
    ] as const) {
      const list = await world.fetch('GET', `${path}/${type}`);
      expect([list.status, list.json[array], list.json._count], type).toEqual([200, [], 0]);
      expect((await world.fetch('GET', `${path}/${type}/x`)).status).toBe(404);
      expect((await world.fetch('DELETE', `${path}/${type}/x`)).status).toBe(404);
      expect((await world.fetch('GET', `/dbs/db/colls/none/${type}`)).status).toBe(404);
      if (name === undefined) continue;
      const body = { id: 'x', body: 'function () {}' };
      for (const [verb, to] of [
        ['POST', `${path}/${type}`],
        ['PUT', `${path}/${type}/x`],
      ] as const) {
        const { status, json } = await world.fetch(verb, to, { body });
        expect([status, json.message], `${verb} ${to}`).toEqual([501, expect.stringContaining(name)]);
      }
    }
    const execution = await world.fetch('POST', `${path}/sprocs/x`, { headers: pk('a'), body: [] });
    expect([execution.status, execution.json.message]).toEqual([501, expect.stringContaining('Stored procedures')]);
    const attachments = await world.fetch('GET', `${made.docs}/1/attachments`);
    expect([attachments.status, attachments.json.message]).toEqual([501, expect.stringContaining('attachment')]);
    const media = await world.fetch('GET', '/media/x');
    expect([media.status, media.json.message]).toEqual([501, expect.stringContaining('media')]);
  });

  test('the SDK lists them', async () => {
    const container = await world.container();
    expect((await container.conflicts.readAll().fetchAll()).resources).toEqual([]);
    expect((await container.scripts.storedProcedures.readAll().fetchAll()).resources).toEqual([]);
    expect((await container.scripts.triggers.readAll().fetchAll()).resources).toEqual([]);
    expect((await container.scripts.userDefinedFunctions.readAll().fetchAll()).resources).toEqual([]);
  });
});
