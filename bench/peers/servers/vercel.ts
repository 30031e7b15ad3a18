// The other Cosmos server in TypeScript, by its own command, without TLS as Tidemark is.

import { join } from 'node:path';
import { npmFolder, versionOfPackage } from '../install/peers-folder.ts';
import { Daemon, freePort } from './daemon.ts';
import type { ServerPlace, StartedServer } from './start.ts';

const name = '@vercel/cosmosdb-server';

export async function startVercel({ folder, prefix }: ServerPlace): Promise<StartedServer> {
  const port = await freePort();
  const main = join(npmFolder, 'node_modules', name, 'lib/cli.js');
  const command = [...prefix, process.execPath, main, '--no-ssl', '--host', '127.0.0.1', '--port', String(port)];
  return { daemon: await Daemon.start({ command, port, folder }), port, version: versionOfPackage(name) };
}
