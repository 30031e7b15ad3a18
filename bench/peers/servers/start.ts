// Starts what a contestant needs beside the process of its load.

import { join } from 'node:path';
import { ServerProcess } from '../../server/process.ts';
import type { ContestantId } from '../contestants.ts';
import { versionOfPackage } from '../install/peers-folder.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startVercel } from './vercel.ts';

export interface ServerPlace {
  /** Its own, and empty. */
  readonly folder: string;
  /** What comes before the command, so that it runs on the servers' cores. */
  readonly prefix: readonly string[];
}

export interface StartedServer {
  /** Nothing for one that is embedded. */
  readonly daemon?: AsyncDisposable & { readonly pid: number };
  readonly port?: number;
  readonly version: string;
}

export async function startServer(id: ContestantId, place: ServerPlace, own: string): Promise<StartedServer> {
  switch (id) {
    case 'tidemark-http':
    case 'tidemark-sdk': {
      const daemon = await ServerProcess.start(['--data', join(place.folder, 'data')], place.prefix);
      return { daemon, port: daemon.port, version: own };
    }
    case 'tidemark-embedded':
    case 'tidemark-embedded-os':
      return { version: own };
    case 'postgres':
      return startPostgres(place);
    case 'redis':
      return startRedis(place);
    case 'nats':
      return startNats(place, 'default');
    case 'nats-always':
      return startNats(place, 'always');
    case 'pouchdb':
      return { version: versionOfPackage('pouchdb') };
    case 'vercel-http':
    case 'vercel':
      return startVercel(place);
  }
}
