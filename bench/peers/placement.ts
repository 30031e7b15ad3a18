// Which cores the load runs on and which the servers: the ones must not take time from the others.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Placement {
  /** What comes before a command, so that it runs there; nothing where cores cannot be kept apart. */
  readonly load: readonly string[];
  readonly server: readonly string[];
  /** For the report. */
  readonly text: string;
}

export function placementOf(cores: readonly number[], hasTaskset: boolean): Placement {
  const nowhere = { load: [], server: [] };
  if (!hasTaskset) return { ...nowhere, text: 'load and servers share all cores: there is no taskset' };
  if (cores.length < 2) return { ...nowhere, text: 'load and servers share the one core there is' };
  // The load is one thread, and some of Node's own beside it.
  const forLoad = cores.slice(0, cores.length >= 4 ? 2 : 1);
  const forServer = cores.slice(forLoad.length);
  const on = (list: readonly number[]): string[] => ['taskset', '-c', list.join(',')];
  const named = (list: readonly number[]): string => `${list.length === 1 ? 'core' : 'cores'} ${list.join(', ')}`;
  const text = `load on ${named(forLoad)}, servers on ${named(forServer)}, embedded databases on all`;
  return { load: on(forLoad), server: on(forServer), text };
}

export function placementHere(): Placement {
  const hasTaskset = process.platform === 'linux' && spawnSync('taskset', ['--version']).status === 0;
  return placementOf(hasTaskset ? allowedCores() : [], hasTaskset);
}

/** A container may be given fewer than the machine has. */
function allowedCores(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return readCoreList(list);
}

/** `0-2,7` */
export function readCoreList(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/**
 * Whether this runs with the priority of a real-time process, and so all that it starts. Threads of the same priority then do not
 * interrupt each other: a flush that is done waits until the server's main thread rests, up to a tenth of a second. Linux only.
 */
export function isRealTimeHere(): boolean {
  return process.platform === 'linux' && isRealTime(readFileSync('/proc/self/stat', 'utf8'));
}

/** By the scheduling policy in `/proc/self/stat`, field 41: FIFO is 1, RR is 2. The name in field 2 may hold anything. */
export function isRealTime(stat: string): boolean {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[38] === '1' || fields[38] === '2';
}
