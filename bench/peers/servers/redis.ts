// Redis with its log flushed before every answer. It also takes no snapshots and does not rewrite its log during the run: that
// spares it work which would fall into the turns of others.

import { join } from 'node:path';
import { debianPeers, environmentOf, rootOf } from '../install/debian.ts';
import { runQuietly } from '../install/run-quietly.ts';
import { Daemon, freePort } from './daemon.ts';
import type { ServerPlace, StartedServer } from './start.ts';

export async function startRedis({ folder, prefix }: ServerPlace): Promise<StartedServer> {
  const peer = debianPeers.redis;
  const command = join(rootOf(peer), 'usr/bin/redis-server');
  const env = environmentOf(peer);
  const version = await runQuietly(command, ['--version'], folder, { env });
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'auto-aof-rewrite-percentage': '0',
  };
  const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const daemon = await Daemon.start({ command: [...prefix, command, ...given], port, folder, env });
  return { daemon, port, version: version.replace(/^.*?v=([\d.]+).*$/s, '$1') };
}
