// Only one process opens a data folder. The lock is a listening socket whose name is made from the folder's identity
// (device and inode, so that links and relative paths do not matter): the operating system gives a name to one listener
// only, and takes it back when the process ends, however it ends.
//
//   Linux      an abstract unix socket; it has no file, so there is never a stale one. Abstract names belong to a network
//              namespace: containers that share a folder but not a network do not see each other's lock.
//   Windows    a named pipe
//   elsewhere  a unix socket file in the folder for temporary files; a file that nobody answers at is stale
//
// The file LOCK in the folder only serves the message: `pid`, `host` and `since`, one line each. It proves nothing.

import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { hostname, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';

export interface FolderLock {
  /** Lets others open the folder. */
  close(): Promise<void>;
}

/** Throws `folder-in-use` when this or another process holds the lock. The folder must exist. */
export async function lockFolder(folder: string, system: NodeJS.Platform = platform()): Promise<FolderLock> {
  const path = await realpath(folder);
  const { dev, ino } = await stat(path, { bigint: true });
  const name = `tidemark-${dev.toString(16)}-${ino.toString(16)}`;
  const server = await listen(addressOf(name, system), !hasOwnNames(system));
  if (server === undefined) throw await inUse(path);
  try {
    await writeFile(join(path, lockFile), holderText());
  } catch (error) {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    throw notWritable(path, error);
  }
  return { close: () => unlock(path, server) };
}

const lockFile = 'LOCK';

function addressOf(name: string, system: NodeJS.Platform): string {
  if (system === 'linux') return `\0${name}`;
  if (system === 'win32') return `\\\\?\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

/** Whether socket names live outside the file system and vanish with their process. */
function hasOwnNames(system: NodeJS.Platform): boolean {
  return system === 'linux' || system === 'win32';
}

async function listen(address: string, isFile: boolean): Promise<Server | undefined> {
  const server = await tryListen(address);
  if (server || !isFile || (await isAnswered(address))) return server;
  // Two processes that find the same stale file at the same moment could both get here, and the later one would win the
  // name while the earlier one goes on. Only where names are files, and only right after a crash.
  await rm(address, { force: true });
  return tryListen(address);
}

function tryListen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // Without `exclusive` the workers of a node:cluster would share one socket, and all of them would hold the lock.
    server.listen({ path: address, exclusive: true }, () => resolve(server.unref()));
  });
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const finish = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', finish(true));
    socket.once('error', finish(false));
  });
}

async function unlock(path: string, server: Server): Promise<void> {
  if (!server.listening) return;
  // Before the name is free: afterwards the file may be the next holder's.
  await rm(join(path, lockFile), { force: true });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function holderText(): string {
  const since = new Date(performance.timeOrigin).toISOString();
  return `pid ${process.pid}\nhost ${hostname()}\nsince ${since}\n`;
}

function notWritable(path: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DatabaseError('disk-full', `There is no room in the folder ${path}. Free space on the disk.`, { cause });
  }
  if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EPERM') return cause;
  const advice = 'Make it writable for this process, or open another folder.';
  return new DatabaseError('read-only', `The folder ${path} cannot be written (${code}). ${advice}`, { cause });
}

async function inUse(path: string): Promise<DatabaseError> {
  // The holder writes the file after it has the lock, so the file may be missing or its predecessor's.
  const text = await readFile(join(path, lockFile), 'utf8').catch(() => '');
  const [, pid, host, since] = /^pid (\d+)\nhost (.*)\nsince (.*)\n$/.exec(text) ?? [];
  const who = pid ? `process ${pid} on ${host}, running since ${since}` : 'another process';
  const advice =
    pid === String(process.pid)
      ? 'That is this process: close the database first, or use the one that is open.'
      : 'Stop that process, or open another folder.';
  return new DatabaseError('folder-in-use', `The folder ${path} is open in ${who}. ${advice}`, {
    detail: { pid, host, since },
  });
}
