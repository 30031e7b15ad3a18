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
