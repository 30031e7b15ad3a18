// A disk without room, a disk that nobody may write to, and a disk whose flushes fail.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@tidemark/engine';
import { EmbeddedEngine, lmdbIndexProvider, nodeFiles, systemEnvironment } from '@tidemark/engine/internal';
import { startServer } from '@tidemark/server';
import type { SmallDisk } from '@tidemark/testing';
import { FaultFiles, mountSmallDisk } from '@tidemark/testing';
import { start } from '../../conformance/server-process.ts';
import { RawWrites } from './raw-writes.ts';
import type { Trouble } from './trouble.ts';
import { differences, TroubledServer } from './trouble.ts';

const MiB = 1024 * 1024;
const diskBytes = 64 * MiB;
const textBytes = 20_000;
/** More than the disk holds. */
const writesMax = 5_000;

/** A server with some documents on a small disk of its own. */
async function onSmallDisk(
  trouble: (disk: SmallDisk, server: TroubledServer) => Promise<readonly string[]>,
): ReturnType<Trouble['run']> {
  const disk = mountSmallDisk(diskBytes);
  if ('reason' in disk) return { skipped: disk.reason };
  try {
    await using server = await TroubledServer.on(disk.folder);
    for (let n = 0; n < 20; n += 1) await server.writes.put(textBytes);
    return await trouble(disk, server);
  } finally {
    disk.unmount();
  }
}

export const diskFull: Trouble = {
  name: 'a disk that is full, and a kill while it is',
  run: () =>
    onSmallDisk(async (disk, server) => {
      const { writes } = server;
      disk.fill();
      const refused = await writes.putUntilRefused(textBytes, writesMax);
      const [health, isRead] = [await writes.health(), await writes.readsAreServed()];
      disk.free();
      let accepted = await writes.put(textBytes);
      // It looks for room by itself.
      while (accepted === 507) accepted = await writes.put(textBytes);
      disk.fill();
      await writes.putUntilRefused(textBytes, writesMax);
      await server.end('SIGKILL');
      const opened = await server.start().then(
        () => 'opened',
        () => 'refused',
      );
      const isReadAfterKill = opened === 'opened' ? await writes.readsAreServed() : true;
      disk.free();
      if (opened === 'refused') await server.start();
      const afterwards = await writes.put(textBytes);
      return [
        ...differences(
          { refused: 507, health: 'disk-full', isRead: true, accepted: 201, isReadAfterKill: true, afterwards: 201 },
          { refused, health, isRead, accepted, isReadAfterKill, afterwards },
        ),
        ...(await server.verdictAfterKill()),
      ];
    }),
};

export const readOnlyFolder: Trouble = {
  name: 'a folder that is read-only at the next start',
  run: () =>
    onSmallDisk(async (disk, server) => {
      const { writes } = server;
      // A file that is open for writing keeps a file system from being made read-only.
      await server.end('SIGKILL');
      disk.remount('ro');
      const said = await start(['--port', '0', '--data', disk.folder]).then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      disk.remount('rw');
      await server.start();
      const afterwards = await writes.put();
      return [
        ...differences({ says: true, afterwards: 201 }, { says: said.includes('Make it writable'), afterwards }),
        ...(await server.verdictAfterKill()),
      ];
    }),
};

export const flushErrors: Trouble = {
  name: 'flushes that fail',
  isQuick: true,
  run: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-flush-'));
    try {
      const findings: string[] = [];
      const files = new FaultFiles(nodeFiles(folder));
      let url = '';
      const writes = new RawWrites(() => url);
      for (const isBroken of [true, false]) {
        const database = await openOn(folder, files);
        await using server = await startServer({ database });
        url = server.url;
        if (isBroken) {
          await writes.create();
          for (let n = 0; n < 20; n += 1) await writes.put();
          files.fail('sync', { path: /spare|\.seg$/ });
        }
        const [first, second] = [await writes.put(), await writes.put()];
        const [health, isRead] = [await writes.health(), await writes.readsAreServed()];
        const expected = isBroken
          ? { first: 408, second: 503, health: 'read-only' }
          : { first: 201, second: 201, health: 'ok' };
        findings.push(...differences({ ...expected, isRead: true }, { first, second, health, isRead }));
        if (!isBroken) findings.push(...(await writes.verdict()));
        await server.close();
        await database.close();
      }
      return findings;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function openOn(folder: string, files: FaultFiles): Promise<Database> {
  const environment = systemEnvironment();
  const engine = await EmbeddedEngine.open({
    files,
    index: lmdbIndexProvider(folder, files, environment),
    environment,
    segments: { sync: 'full', segmentBytesMin: MiB, segmentBytesMax: 4 * MiB },
    isRestored: false,
  });
  return new Database(engine, { files, environment, runsMaintenance: true, release: async () => {} });
}
