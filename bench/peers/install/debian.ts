// The peers that come as Debian packages: downloaded, unpacked into a folder of their own, and run from there. The libraries
// they need are unpacked beside them, so that nothing has to be installed on the machine.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { debianFolder, isStamped, peersFolder, stamp } from './peers-folder.ts';
import { runQuietly } from './run-quietly.ts';

export interface DebianPeer {
  readonly need: string;
  readonly packages: readonly string[];
}

export const debianPeers: Readonly<Record<'postgres' | 'redis' | 'nats', DebianPeer>> = {
  postgres: { need: 'postgres', packages: ['postgresql-15', 'postgresql-client-15'] },
  redis: { need: 'redis', packages: ['redis-server', 'redis-tools'] },
  nats: { need: 'nats', packages: ['nats-server'] },
};

/** The C library has to be the machine's own. LLVM serves only PostgreSQL's JIT, which is off: our queries are all short. */
const notUnpacked: readonly string[] = ['libc6', 'libgcc-s1', 'libllvm14'];

/** Where its files are, as if it were the root folder. */
export function rootOf(peer: DebianPeer): string {
  return join(debianFolder(peer.need), 'root');
}

export function environmentOf(peer: DebianPeer): NodeJS.ProcessEnv {
  const libraries = ['usr/lib', 'lib'].flatMap((name) => {
    const folder = join(rootOf(peer), name);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((entry) => entry.endsWith('-linux-gnu'))
      .map((entry) => join(folder, entry));
  });
  return { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
}

export async function installDebian(peer: DebianPeer): Promise<void> {
  const folder = debianFolder(peer.need);
  const wanted = `${peer.packages.join(' ')} ${process.arch}`;
  if (isStamped(folder, wanted)) return;
  rmSync(folder, { recursive: true, force: true });
  const packagesFolder = join(folder, 'packages');
  mkdirSync(packagesFolder, { recursive: true });
  mkdirSync(rootOf(peer), { recursive: true });
  try {
    await download(peer, [], packagesFolder);
  } catch {
    // The machine has no lists of packages, or they are old. Ours are made anew; for that nobody has to be root.
    await download(peer, await ownLists(), packagesFolder);
  }
  for (const file of readdirSync(packagesFolder)) {
    await runQuietly('dpkg', ['-x', join(packagesFolder, file), rootOf(peer)], folder);
  }
  rmSync(packagesFolder, { recursive: true });
  stamp(folder, wanted);
}

const dependsArgs: readonly string[] = [
  'depends',
  '--recurse',
  '--no-recommends',
  '--no-suggests',
  '--no-conflicts',
  '--no-breaks',
  '--no-replaces',
  '--no-enhances',
];

async function download(peer: DebianPeer, options: readonly string[], folder: string): Promise<void> {
  const depends = await runQuietly('apt-cache', [...options, ...dependsArgs, ...peer.packages], folder);
  const names = libraryClosure(peer.packages, depends).filter((name) => !notUnpacked.includes(name));
  await runQuietly('apt-get', [...options, 'download', ...names], folder);
}

async function ownLists(): Promise<readonly string[]> {
  const state = join(peersFolder, 'debian', 'lists');
  const cache = join(peersFolder, 'debian', 'cache');
  mkdirSync(join(state, 'partial'), { recursive: true });
  mkdirSync(join(cache, 'archives', 'partial'), { recursive: true });
  const options = ['-o', `Dir::State::lists=${state}`, '-o', `Dir::Cache=${cache}`];
  await runQuietly('apt-get', [...options, 'update'], peersFolder);
  return options;
}

/**
 * The packages and all libraries that they need, from what `apt-cache depends --recurse` prints: names at the beginning of a
 * line, and below each what it depends on.
 */
export function libraryClosure(packages: readonly string[], depends: string): string[] {
  const needed = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of depends.split('\n')) {
    if (/^\S/.test(line)) {
      current = needed.get(line.trim()) ?? [];
      needed.set(line.trim(), current);
      continue;
    }
    const [, name] = /^\s+\|?(?:Pre)?Depends:\s+(lib\S+)$/.exec(line) ?? [];
    if (name !== undefined) current.push(name);
  }
  const found = new Set(packages);
  // A set that grows while it is walked is walked to its end.
  for (const name of found) {
    if (notUnpacked.includes(name)) continue;
    for (const each of needed.get(name) ?? []) found.add(each);
  }
  return [...found];
}
