import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-lock-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

// The second kind is what other systems use; it works here too, so it is tested here too.
for (const system of ['linux', 'darwin'] as const) {
  describe(`the folder lock as on ${system}`, () => {
    test('[engine 12] a second open in the same process is refused and says so', async () => {
      const lock = await lockFolder(folder, system);

      await expect(lockFolder(folder, system)).rejects.toMatchObject({
        code: 'folder-in-use',
        message: expect.stringMatching(new RegExp(`process ${process.pid} .*this process`)),
      });

      await lock.close();
    });

    test('[engine 12] another way to the same folder is the same folder', async () => {
      await mkdir(join(folder, 'data'));
      await symlink(join(folder, 'data'), join(folder, 'link'));
      const lock = await lockFolder(join(folder, 'data'), system);

      await expect(lockFolder(join(folder, 'link', '.'), system)).rejects.toMatchObject({ code: 'folder-in-use' });

      await lock.close();
    });

    test('folders do not get in each other’s way', async () => {
      await mkdir(join(folder, 'a'));
      await mkdir(join(folder, 'b'));

      const locks = [await lockFolder(join(folder, 'a'), system), await lockFolder(join(folder, 'b'), system)];

      for (const lock of locks) await lock.close();
    });

    test('closing frees the folder, leaves nothing behind, and may be done twice', async () => {
      const lock = await lockFolder(folder, system);
      expect(await readFile(join(folder, 'LOCK'), 'utf8')).toContain(`pid ${process.pid}\n`);

      await lock.close();
      const next = await lockFolder(folder, system);
      await lock.close();

      await expect(lockFolder(folder, system)).rejects.toMatchObject({ code: 'folder-in-use' });
      await next.close();
      expect(await readdir(folder)).toEqual([]);
    });

    test('[engine 12] another process is named by its pid, and when it is killed the folder is free', async () => {
      const child = spawnHolder(folder, system);
      await once(child.stdout!, 'data');

      await expect(lockFolder(folder, system)).rejects.toMatchObject({
        code: 'folder-in-use',
        message: expect.stringMatching(new RegExp(`process ${child.pid} .*Stop that process`)),
      });

      child.kill('SIGKILL');
      await once(child, 'exit');
      const lock = await lockFolder(folder, system);
      await lock.close();
    });
  });
}

test('a lock that is not closed does not keep its process alive', async () => {
  const child = spawnHolder(folder, 'linux', '');

  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a folder that is not there is ENOENT', async () => {
  await expect(lockFolder(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
});

function spawnHolder(path: string, system: string, hold = 'setInterval(() => {}, 1000);'): ChildProcess {
  const module = fileURLToPath(new URL('../../dist/files/folder-lock.js', import.meta.url));
  const script = `
    import { lockFolder } from ${JSON.stringify(module)};
    await lockFolder(${JSON.stringify(path)}, ${JSON.stringify(system)});
    console.log('locked');
    ${hold}
  `;
  const flags = ['--input-type=module', '--eval', script];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}
