// The documents show code: this is where they are held to it.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@tidemark/engine';
import { startServer } from '@tidemark/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readText, repositoryRoot } from './source-tree.ts';

let folder: string;

// Inside the repository, so that the snippets find the packages they import.
beforeEach(() => {
  folder = mkdtempSync(join(repositoryRoot, 'node_modules', '.snippet-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('[B11] the snippet that embeds the engine runs as it stands in README', async () => {
  const snippet = snippetOf('README.md', 'ts', 'openDatabase');
  // The feed never ends; the first change is enough.
  const bounded = snippet.replace('console.log(order);', '{ console.log(order); break; }');
  expect(bounded).not.toBe(snippet);

  const output = await run('embed.mts', bounded);

  expect(output).toContain("customer: 'ada'");
  expect(output).toContain('_lsn: 1');
});

test('the snippets of the guide to embedding are one program that runs as it stands', async () => {
  const output = await run('guide.mts', snippetsOf('docs/guides/embedding.md', 'ts').join('\n'));

  expect(output).toContain('total: 15');
  expect(output).toContain('unique-key-violation');
  expect(output).toContain("status: 'ok'");
  expect(output).toContain('isClean: true');
});

test('[M1] [M4] the snippet for the SDK runs as it stands in README', async () => {
  const snippet = snippetOf('README.md', 'js', 'CosmosClient');
  await using database = await openDatabase({ memory: true });
  const server = await startServer({ database, host: '127.0.0.1', port: 0 });
  try {
    const output = await run('sdk.mjs', snippet.replace('http://127.0.0.1:8081', server.url));

    expect(output).toContain("customer: 'ada'");
    expect(output).toContain('_lsn: 1');
  } finally {
    await server.close();
  }
});

function snippetOf(document: string, language: string, word: string): string {
  const found = snippetsOf(document, language).find((block) => block.includes(word));
  if (found === undefined) throw new Error(`${document} has no ${language} snippet with ${word}`);
  return found;
}

function snippetsOf(document: string, language: string): string[] {
  const blocks = readText(document).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map((match) => match[1] ?? '');
}

async function run(name: string, code: string): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, code);
  const args = ['--conditions=tidemark-source', '--import', 'tsx', path];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 60_000 });
  return stdout;
}
