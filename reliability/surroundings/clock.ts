// A clock of the host that somebody sets: hours ahead, days back. Clients of the same host see the same time.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRange } from '../../conformance/raw.ts';
import type { Trouble } from './trouble.ts';
import { differences, TroubledServer } from './trouble.ts';

const hourMs = 3_600_000;
const shiftsMs: readonly number[] = [6 * hourMs, -3 * hourMs, 40 * 24 * hourMs, -30_000, 0];

export const clockJumps: Trouble = {
  name: 'a clock that jumps ahead and back',
  isQuick: true,
  run: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-clock-'));
    const preload = new URL('./shifted-clock.mjs', import.meta.url).href;
    const through = ['env', `CLOCK_SHIFTS_MS=${shiftsMs.join(',')}`];
    try {
      await using server = await TroubledServer.on(folder, { through, nodeArgs: ['--import', preload] });
      const { writes, running } = server;
      const findings: string[] = [];
      await writes.put();
      for (const shiftMs of shiftsMs) {
        // Waits over the jump: only the write may end it, whatever the time is then.
        const waiting = writes.ask('GET', '/dbs/db/colls/c/docs', {
          headers: {
            'a-im': 'Incremental Feed',
            ...inRange('0'),
            'if-none-match': await tailOf(server),
            prefer: 'wait=50',
          },
        });
        await jump(server, shiftMs);
        const statuses = [await writes.put(), await writes.put()];
        const { status, json } = await waiting;
        const shown = json?.Documents?.length;
        findings.push(
          ...differences(
            { statuses: [201, 201], status: 200, isShown: true },
            { statuses, status, isShown: shown >= 1 },
          ).map((difference) => `after ${shiftMs} ms: ${difference}`),
        );
      }
      if (running.child.exitCode !== null) findings.push('the server ended');
      return [...findings, ...(await server.verdictAfterKill())];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function tailOf({ writes }: TroubledServer): Promise<string> {
  const headers = { 'a-im': 'Incremental Feed', ...inRange('0'), 'if-none-match': '*' };
  return (await writes.ask('GET', '/dbs/db/colls/c/docs', { headers })).headers.get('etag') ?? '';
}

/** Resolves when the server says that it has happened. */
async function jump({ running, writes }: TroubledServer, shiftMs: number): Promise<void> {
  const { stderr } = running.child;
  const before = running.words().split('shifted').length;
  const said = new Promise<void>((resolve, reject) => {
    running.child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${running.words()}`)));
    const look = (): void => {
      if (running.words().split('shifted').length === before) return;
      stderr.off('data', look);
      resolve();
    };
    stderr.on('data', look);
  });
  running.child.kill('SIGUSR2');
  await said;
  writes.shiftMs = shiftMs;
}
