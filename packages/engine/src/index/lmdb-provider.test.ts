// How much speaks against an index, start after start, until it is thrown away.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemEnvironment } from '../ambient.ts';
import { nodeFiles } from '../files/node-files.ts';
import type { LmdbIndexProvider } from './lmdb-provider.ts';
import { lmdbIndexProvider } from './lmdb-provider.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-provider-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What it does before it is killed. */
type Start = (provider: LmdbIndexProvider) => Promise<void>;

const killedEarly: Start = async () => {};
const killedLate: Start = async (provider) => provider.eased();
const comesThrough: Start = async (provider) => {
  await provider.eased();
  await provider.proven();
};

test('[engine 5] two starts that end before the index has taken a transaction cost the index', async () => {
  await begin(killedEarly);
  leaveWitness();

  await begin(killedEarly);
  expect(isWitnessThere()).toBe(true);
  await begin(killedEarly);

  expect(isWitnessThere()).toBe(false);
  expect(points()).toBe(5);
});

test('[engine 5] of starts that end later it takes ten', async () => {
  await begin(killedLate);
  leaveWitness();

  for (let start = 2; start <= 10; start += 1) await begin(killedLate);
  expect(points()).toBe(10);
  expect(isWitnessThere()).toBe(true);
  await begin(killedLate);

  expect(isWitnessThere()).toBe(false);
  expect(points()).toBe(1);
});

test('[engine 5] a start that comes through clears the index of everything', async () => {
  await begin(killedEarly);
  await begin(comesThrough);
  expect(existsSync(join(folder, 'index.trial'))).toBe(false);
  await begin(killedEarly);

  expect(points()).toBe(5);
});

test('[engine 5] an index that was condemned is not eased or proven any more', async () => {
  await begin(async (provider) => {
    await Promise.all([provider.eased(), provider.condemn(), provider.eased()]);
    await provider.proven();
  });

  expect(points()).toBe(10);
});

async function begin(start: Start): Promise<void> {
  const provider = lmdbIndexProvider(folder, nodeFiles(folder), systemEnvironment());
  const index = await provider.open();
  await start(provider);
  await index.close();
}

function points(): unknown {
  return (JSON.parse(readFileSync(join(folder, 'index.trial'), 'utf8')) as { points: unknown }).points;
}

/** A file that goes with the index. */
function leaveWitness(): void {
  mkdirSync(join(folder, 'index'), { recursive: true });
  writeFileSync(join(folder, 'index', 'witness'), '');
}

function isWitnessThere(): boolean {
  return existsSync(join(folder, 'index', 'witness'));
}
