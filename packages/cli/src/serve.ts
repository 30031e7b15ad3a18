// The server as a process: flags in, one ready line out, and an orderly end on a signal.

import { resolve } from 'node:path';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { isDatabaseError } from '@tidemark/model';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import type { Flags } from './flags.ts';
import { help, readFlags } from './flags.ts';

/** A terminal's Ctrl-C reaches npm and the server, so that one keystroke may come twice. */
const doubledSignalMs = 1_000;

export async function serve(args: readonly string[]): Promise<void> {
  const read = readFlags(args);
  if (read.kind === 'help') {
    process.stdout.write(help);
  } else if (read.kind === 'wrong') {
    fail(`${read.message}\nSee --help.`, 2);
  } else {
    await run(read.flags);
  }
}

async function run(flags: Flags): Promise<void> {
  const folder = flags.data === undefined ? undefined : resolve(flags.data);
  let database: Database | undefined;
  try {
    const onRebuildProgress = showProgress();
    database = await openDatabase(folder === undefined ? { memory: true } : { folder, onRebuildProgress });
    const { host, port } = flags;
    const server = await startServer({ database, host, port, onDefect: report });
    stopOnSignal(server, database);
    process.stdout.write(`${JSON.stringify({ ready: true, url: server.url, port: server.port, pid: process.pid })}\n`);
    process.stderr.write(welcome(server.url, folder));
  } catch (error) {
    await database?.close();
    fail(explain(error, flags), 1);
  }
}

function stopOnSignal(server: RunningServer, database: Database): void {
  let stoppingSinceMs: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (stoppingSinceMs !== undefined) {
      if (now - stoppingSinceMs > doubledSignalMs) process.exit(1);
      return;
    }
    stoppingSinceMs = now;
    process.stderr.write(`tidemark: ${signal}: answering what is under way, then stopping.\n`);
    close(server, database).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`tidemark: stopping failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function close(server: RunningServer, database: Database): Promise<void> {
  await server.close();
  await database.close();
}

function welcome(url: string, folder: string | undefined): string {
  return `
Tidemark is ready.

  endpoint            ${url}
  connection string   AccountEndpoint=${url}/;AccountKey=${wellKnownKey};
  data                ${folder ?? 'in memory: nothing is kept'}

  import { CosmosClient } from '@azure/cosmos';
  const client = new CosmosClient({ endpoint: '${url}', key: '${wellKnownKey}' });
  const { database } = await client.databases.createIfNotExists({ id: 'demo' });
  const { container } = await database.containers.createIfNotExists({ id: 'tides', partitionKey: '/port' });
  console.log((await container.items.upsert({ id: '1', port: 'Brest', metres: 7.2 })).resource);

Ctrl-C stops it.
`;
}

function explain(error: unknown, flags: Flags): string {
  if (isDatabaseError(error)) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return `Port ${flags.port} is taken: perhaps another Tidemark or an emulator is running. --port 0 takes a free one.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `This machine has no address ${flags.host}.`;
  if (code === 'EACCES' && (error as NodeJS.ErrnoException).syscall === 'listen') {
    return `This user may not listen on port ${flags.port}; choose one above 1023.`;
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return `The data folder ${flags.data} cannot be used: ${(error as Error).message}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Rebuilding an index may take a while; silence would look like a hang. */
function showProgress(): (fraction: number) => void {
  let shown = -1;
  return (fraction) => {
    const tenth = Math.floor(fraction * 10);
    if (tenth === shown) return;
    shown = tenth;
    process.stderr.write(`tidemark: rebuilding the index, ${tenth * 10} %\n`);
  };
}

function report(error: unknown, activityId: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`tidemark: request ${activityId} failed: ${text}\n`);
}

function fail(message: string, code: number): void {
  process.stderr.write(`tidemark: ${message}\n`);
  process.exitCode = code;
}
