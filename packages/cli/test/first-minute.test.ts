// The README's first minute, as it is written but for the port: start, create a container, write, see the change arrive.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { launch, serve } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

const root = new URL('../../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

test('the program of the README prints the order, and a tail shows the next one as it is written', async () => {
  const [, program = ''] = /```js\n(import \{ ChangeFeedStartFrom[\s\S]*?)```/.exec(readme) ?? [];
  const [, tail = ''] = /npm run -s tidemark -- (tail \S+)/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-readme-'));
  symlinkSync(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'), 'junction');
  const server = await serve(['--memory']);
  const file = join(folder, 'feed.mjs');
  writeFileSync(file, program.replace('http://127.0.0.1:8081', server.url));
  const run = (): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, [file]);

  const first = await run();
  const tailing = launch([...tail.split(' '), '--from', 'beginning', '--endpoint', server.url]);
  const lines = createInterface(tailing.stdout);
  const [before] = (await once(lines, 'line')) as [string];
  const next = once(lines, 'line');
  await run();
  const [after] = (await next) as [string];

  expect(program).toContain('8081');
  expect(first.stdout).toContain("customer: 'ada'");
  expect(first.stdout).toContain('_lsn');
  for (const line of [before, after]) expect(line).toContain('["ada"]  "1"  {"customer":"ada","total":10}');
  expect(after).not.toBe(before);
  tailing.kill('SIGINT');
  expect((await once(tailing, 'exit'))[0]).toBe(0);
  expect(await server.end()).toBe(0);
  rmSync(folder, { recursive: true });
});
