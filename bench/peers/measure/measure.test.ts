// The works themselves, on the three ways to use Tidemark, and on a subject that does what it should not.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@tidemark/engine';
import { startServer } from '@tidemark/server';
import { describe, expect, test } from 'vitest';
import { CosmosHttp } from '../subjects/cosmos-http.ts';
import { openTidemarkSdk } from '../subjects/cosmos-sdk.ts';
import type { Subject } from '../subjects/subject.ts';
import { TidemarkEmbedded } from '../subjects/tidemark-embedded.ts';
import { works } from '../works.ts';
import { fill } from './fill.ts';
import { Numbers } from './numbers.ts';
import { takeTurn } from './turn.ts';

const documents = 1_000;
const options = { turnMs: 20, latencyWrites: 5, latencyPauseMs: 1 };

async function takeAllTurns(subject: Subject): Promise<void> {
  const numbers = new Numbers(documents, subject.pieces, (n) => subject.pieceOf(n));
  await fill(subject, documents);
  for (const { id } of works) {
    const turn = await takeTurn(id, subject, numbers, options);
    expect(turn.figure, id).toBeGreaterThan(0);
  }
}

describe('every work is done', () => {
  test('embedded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'peers-'));
    try {
      await using subject = await TidemarkEmbedded.open({ folder, port: 0 }, 'os');
      await takeAllTurns(subject);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ['bare HTTP', (port: number) => CosmosHttp.open({ port, folder: '' })],
    ['@azure/cosmos', (port: number) => openTidemarkSdk({ port, folder: '' })],
  ])('over %s', async (_, open) => {
    await using database = await openDatabase({ memory: true });
    await using server = await startServer({ database, port: 0 });
    await using subject = await open(server.port);
    await takeAllTurns(subject);
  });
});

describe('a figure counts only if the work was done', () => {
  const numbers = new Numbers(documents, 1, () => 0);
  const subject: Subject = {
    pieces: 1,
    pieceOf: () => 0,
    upsert: async () => {},
    bulk: async () => {},
    read: async () => ({ id: '0000000000', version: 0 }),
    catchUp: async (onDocuments) => onDocuments([{ id: '0000000001', version: 0 }]),
    [Symbol.asyncDispose]: async () => {},
  };

  test('a feed that lacks documents fails', async () => {
    await expect(takeTurn('catch-up', subject, numbers, options)).rejects.toThrow('1 of 1000 documents came');
  });

  test('another document than the one asked for fails', async () => {
    await expect(takeTurn('points', subject, numbers, options)).rejects.toThrow(/Asked for document/);
  });

  test('a work that is not offered fails', async () => {
    await expect(takeTurn('group', subject, numbers, options)).rejects.toThrow('no groups');
  });
});

describe('documents', () => {
  test('half of the writes are of new ones, and those in flight differ', () => {
    const numbers = new Numbers(4_000, 8, (n) => n % 8);
    const single = Array.from({ length: 256 }, () => numbers.written());

    expect(new Set(single).size).toBe(256);
    expect(single.filter((n) => n >= 4_000)).toHaveLength(128);
  });

  test('a bulk is of one piece', () => {
    const numbers = new Numbers(4_000, 8, (n) => n % 8);
    const bulks = Array.from({ length: 16 }, () => numbers.bulk(100));

    for (const { piece, documents: list } of bulks) expect(new Set(list.map((n) => n % 8))).toEqual(new Set([piece]));
    const all = bulks.flatMap(({ documents: list }) => list);
    expect(new Set(all).size).toBe(1_600);
    expect(all.filter((n) => n >= 4_000)).toHaveLength(800);
  });
});
