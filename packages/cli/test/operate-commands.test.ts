// health, split, merge, backup, restore and check as real processes, of a running server and of a folder.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RestClient } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/model';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { say, serve } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-operate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('[B8] a running server is asked for its health, split, merged, checked and backed up; the backup is a database', async () => {
  const data = join(folder, 'data');
  const backups = join(folder, 'backups');
  const server = await serve(['--data', data, '--backup-folder', backups]);
  const there = ['--endpoint', server.url];
  const client = new RestClient({ endpoint: server.url, credential: { key: wellKnownKey } });
  await client.createDatabase('db');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };
  const container = await client.createContainer('db', definition);
  for (let n = 0; n < 20; n += 1) await container.upsertDocument([`k${n}`], { id: `${n}`, pk: `k${n}` });

  const split = await say(['split', 'db/c', ...there]);
  expect(split).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Range 0 is now the ranges (\d+) and (\d+)\.\n$/),
  });
  const [left = '', right = ''] = (await container.ranges()).map(({ id }) => id);
  const which = await say(['split', 'db/c', ...there]);
  expect(which).toMatchObject({ code: 1, err: expect.stringContaining(`${left}, ${right}`) });
  const whichTwo = await say(['merge', 'db/c', ...there]);
  expect(whichTwo).toMatchObject({
    code: 1,
    err: expect.stringContaining(`Say which two neighbours: ${left}, ${right}.`),
  });
  const merge = await say(['merge', 'db/c', left, right, '--json', ...there]);
  expect(JSON.parse(merge.out)).toMatchObject({ ranges: [left, right], range: { id: expect.any(String) } });
  expect(await container.ranges()).toHaveLength(1);
  const [health, healthJson, check, backup, twice, path, gone] = await Promise.all([
    say(['health', ...there]),
    say(['health', '--json', ...there]),
    say(['check', ...there]),
    say(['backup', 'monday', '--json', ...there]),
    say(['check', '--data', data]),
    say(['backup', '/etc/x', ...there]),
    say(['split', 'db/c', '0', ...there]),
  ]);
  expect(health).toMatchObject({ code: 0, out: expect.stringMatching(/^status +ok/) });
  expect(JSON.parse(healthJson.out)).toMatchObject({ status: 'ok', disk: { folder: data } });
  expect(check).toMatchObject({ code: 0, out: expect.stringMatching(/^Clean: .*20 documents\.\n$/) });
  expect(JSON.parse(backup.out)).toMatchObject({ name: 'monday', folder: join(backups, 'monday') });
  expect(twice).toMatchObject({ code: 1, err: expect.stringContaining(`process ${server.child.pid}`) });
  expect(path).toMatchObject({ code: 2, err: expect.stringContaining('not a path') });
  const { id: live = '' } = (await container.ranges())[0] ?? {};
  expect(gone).toMatchObject({
    code: 1,
    err: expect.stringContaining(`The range 0 has been split or merged; there is ${live}.`),
  });
  expect(await server.end()).toBe(0);

  const spoiling = await say(['serve', '--port', '0', '--data', join(backups, 'monday')]);
  const restore = `tidemark restore ${join(backups, 'monday')} restored`;
  expect(spoiling).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`Make a data folder of it: ${restore}`),
  });
  expect(existsSync(join(backups, 'monday', 'index'))).toBe(false);
  const checking = await say(['check', '--data', join(backups, 'monday')]);
  expect(checking).toMatchObject({ code: 2, out: '', err: expect.stringContaining(restore) });
  const restored = join(folder, 'restored');
  expect(await say(['restore', join(backups, 'monday'), restored])).toMatchObject({ code: 0 });
  const again = await serve(['--data', restored]);
  const other = new RestClient({ endpoint: again.url, credential: { key: wellKnownKey } });
  expect(await other.container('db', 'c').readDocument(['k7'], '7')).toBeDefined();
  expect(await again.end()).toBe(0);
  const dead = await say(['health', ...there]);
  expect(dead).toMatchObject({ code: 1, err: expect.stringContaining('cannot be reached') });

  const ofFolder = await say(['split', 'db/c', '--data', data, '--json']);
  const { children } = JSON.parse(ofFolder.out);
  const [first, second] = children.map(({ id }: { id: string }) => id);
  expect((await say(['merge', 'db/c', first, second, '--data', data])).out).toMatch(/^The ranges/);
  const alone = await say(['merge', 'db/c', '--data', data]);
  expect(alone).toMatchObject({ code: 1, err: expect.stringMatching(/There is one range, \d+: nothing to merge/) });
  const [checked, copied, refused, missing, both] = await Promise.all([
    say(['check', '--data', restored, '--json']),
    say(['backup', join(folder, 'copy'), '--data', data]),
    say(['restore', join(folder, 'nothing'), join(folder, 'target')]),
    say(['check', '--data', join(folder, 'nothing')]),
    say(['check', '--data', data, ...there]),
  ]);
  expect(JSON.parse(checked.out)).toMatchObject({ isClean: true, documents: 20 });
  expect(copied).toMatchObject({ code: 0, out: expect.stringContaining(join(folder, 'copy')) });
  const spoilingCopy = await say(['serve', '--port', '0', '--data', join(folder, 'copy')]);
  expect(spoilingCopy).toMatchObject({ code: 1, err: expect.stringContaining('copy is a backup') });
  expect(refused.code).toBe(1);
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('not a Tidemark data folder') });
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('not both') });
});
