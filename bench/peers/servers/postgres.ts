// PostgreSQL as its manual sets it up for writes that must last: fsync and synchronous_commit stay on. Memory and the distance of
// checkpoints are raised from the defaults, which are meant for the smallest machine; autovacuum runs as it does anywhere.

import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianPeers, environmentOf, rootOf } from '../install/debian.ts';
import { runQuietly } from '../install/run-quietly.ts';
import { Daemon, freePort } from './daemon.ts';
import type { ServerPlace, StartedServer } from './start.ts';

/** PostgreSQL refuses to run as root. */
const nobody = 65_534;

const settings: readonly string[] = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=on',
  'synchronous_commit=on',
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'checkpoint_timeout=15min',
  'max_connections=100',
  'jit=off',
];

export async function startPostgres({ folder, prefix }: ServerPlace): Promise<StartedServer> {
  const peer = debianPeers.postgres;
  const bin = join(rootOf(peer), 'usr/lib/postgresql/15/bin');
  const env = environmentOf(peer);
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  if ('uid' in user) {
    for (const each of [folder, data]) chownSync(each, nobody, nobody);
  }
  const version = await runQuietly(join(bin, 'postgres'), ['--version'], folder, { env, ...user }).catch((error) => {
    throw new Error(`${error.message}. As root it runs as the user nobody, who must be able to reach ${bin}.`);
  });
  const initArgs = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
  await runQuietly(join(bin, 'initdb'), initArgs, folder, { env, ...user });
  const port = await freePort();
  const given = [...settings, `port=${port}`].flatMap((setting) => ['-c', setting]);
  const daemon = await Daemon.start({
    command: [...prefix, join(bin, 'postgres'), '-D', data, ...given],
    port,
    folder,
    env,
    ...user,
    endSignal: 'SIGINT',
  });
  return { daemon, port, version: version.replace(/^.*?([\d.]+).*$/s, '$1') };
}
