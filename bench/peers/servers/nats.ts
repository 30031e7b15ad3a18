// NATS with JetStream on files. By default it flushes them in the background, whatever the acknowledgement; from 2.10 on it can be
// told to flush every message.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianPeers, environmentOf, rootOf } from '../install/debian.ts';
import { runQuietly } from '../install/run-quietly.ts';
import { Daemon, freePort } from './daemon.ts';
import type { ServerPlace, StartedServer } from './start.ts';

export async function startNats({ folder, prefix }: ServerPlace, sync: 'default' | 'always'): Promise<StartedServer> {
  const peer = debianPeers.nats;
  const command = join(rootOf(peer), 'usr/sbin/nats-server');
  const env = environmentOf(peer);
  const version = (await runQuietly(command, ['--version'], folder, { env })).replace(/^.*?v([\d.]+).*$/s, '$1');
  const config = join(folder, 'nats.conf');
  const syncs = sync === 'always' ? ', sync_interval: always' : '';
  writeFileSync(config, `jetstream { store_dir: ${JSON.stringify(folder)}${syncs} }\n`);
  if (sync === 'always') {
    await runQuietly(command, ['-t', '-c', config], folder, { env }).catch(() => {
      throw new Error(`NATS ${version} has no sync_interval: it came with 2.10`);
    });
  }
  const port = await freePort();
  const args = ['-c', config, '-a', '127.0.0.1', '-p', String(port)];
  return { daemon: await Daemon.start({ command: [...prefix, command, ...args], port, folder, env }), port, version };
}
