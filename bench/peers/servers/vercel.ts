// The other Cosmos server in TypeScript, without TLS as Tidemark is. Its command closes the connection after every answer; made by
// hand it can be told not to, which is faster, and to keep connections while the others have their turns.

import { npmFolder, versionOfPackage } from '../install/peers-folder.ts';
import { Daemon, freePort } from './daemon.ts';
import type { ServerPlace, StartedServer } from './start.ts';

const name = '@vercel/cosmosdb-server';

export async function startVercel({ prefix }: ServerPlace): Promise<StartedServer> {
  const port = await freePort();
  const options = '{ keepAlive: true, keepAliveTimeout: 600000 }';
  const script = `require('${name}').createHttpServer(${options}).listen(${port}, '127.0.0.1')`;
  const command = [...prefix, process.execPath, '--eval', script];
  return { daemon: await Daemon.start({ command, port, folder: npmFolder }), port, version: versionOfPackage(name) };
}
