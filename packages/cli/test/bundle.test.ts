// The command in one file: when it counts, and what its stack traces say.

import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../bin', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-one-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['it is newer than every build', { built: 1_000, bundled: 2_000 }, 'one file'],
  ['it is of the same moment', { built: 2_000, bundled: 2_000 }, 'one file'],
  ['it is an installed package', { isInstalled: true, bundled: 2_000 }, 'one file'],
  ['it is installed beside something newer', { isInstalled: true, built: 3_000, bundled: 2_000 }, 'one file'],
  ['nothing says when the packages were built', { bundled: 2_000 }, 'modules'],
  ['a package was built after it', { built: 3_000, bundled: 2_000 }, 'modules'],
  ['it was never made', { built: 1_000 }, 'modules'],
])(
  'the one file counts as long as it is as the packages are: %s',
  async (_, { isInstalled, built, bundled }: Moments, expected) => {
    await cp(bin, join(folder, 'cli', 'bin'), { recursive: true });
    if (isInstalled !== true) {
      await write('cli/src/main.ts', '');
      await write('cli/dist/main.js', "console.log('modules');");
    }
    for (const name of ['cli', 'server', 'processor', 'client', 'engine', 'query', 'model']) {
      if (built === undefined) continue;
      await write(`${name}/dist/.tsbuildinfo`, '{}', name === 'engine' ? built : 1_000);
    }
    if (bundled !== undefined) await write('cli/bundle/tidemark.cjs', "console.log('one file');", bundled);

    const { stdout } = node([join(folder, 'cli', 'bin', 'tidemark.cjs')]);

    expect(stdout).toBe(`${expected}\n`);
  },
);

test('a stack trace names the sources', async () => {
  const fault = join(folder, 'fault.cjs');
  await writeFile(
    fault,
    `const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (path, ...rest) => {
      if (String(path).endsWith('/cli/package.json')) throw new TypeError('on purpose');
      return readFileSync(path, ...rest);
    };`,
  );

  const { stderr } = node(['-r', fault, join(bin, 'tidemark.cjs'), '--version']);

  expect(stderr).toContain('TypeError: on purpose');
  expect(stderr).toMatch(/at ownVersion \(.*\/packages\/cli\/src\/program\.ts:\d+:\d+\)/);
  expect(stderr).not.toContain('tidemark.cjs');
});

interface Moments {
  readonly isInstalled?: boolean;
  readonly built?: number;
  readonly bundled?: number;
}

function node(args: readonly string[]): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

async function write(path: string, text: string, seconds?: number): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), text);
  if (seconds !== undefined) await utimes(join(folder, path), seconds, seconds);
}
