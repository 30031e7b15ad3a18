import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { filesContract } from '../../../testing/src/files-contract.ts';
import { nodeFiles } from './node-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

filesContract('node:fs', async () => nodeFiles(await mkdtemp(join(folder, 'root-'))));
