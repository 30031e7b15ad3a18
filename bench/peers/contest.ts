// The run itself: everybody is brought, started and filled; then all take turns at one work after the other.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../common/progress.ts';
import type { Contestant, ContestantId, Need } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import { debianPeers, installDebian } from './install/debian.ts';
import { installPackages } from './install/npm.ts';
import { LoadProcess } from './load-process.ts';
import type { Turn, TurnOptions } from './measure/turn.ts';
import type { PeersOptions } from './options.ts';
import type { Placement } from './placement.ts';
import { startServer } from './servers/start.ts';
import { Standings } from './standings.ts';
import type { WorkId } from './works.ts';
import { workOf } from './works.ts';

export interface Present {
  readonly id: ContestantId;
  readonly version: string;
}

export interface LeftOut {
  readonly id: ContestantId;
  readonly reason: string;
}

export interface Contest {
  readonly standings: Standings;
  readonly present: readonly Present[];
  readonly leftOut: readonly LeftOut[];
}

interface Running extends Present {
  readonly contestant: Contestant;
  readonly load: LoadProcess;
}

export async function runContest(options: PeersOptions, placement: Placement): Promise<Contest> {
  const started: AsyncDisposable[] = [];
  try {
    return await runWith(options, placement, started);
  } finally {
    showProgress('stopping everybody');
    for (const each of started.reverse()) await each[Symbol.asyncDispose]();
  }
}

async function runWith(options: PeersOptions, placement: Placement, started: AsyncDisposable[]): Promise<Contest> {
  const leftOut: LeftOut[] = [];
  const running: Running[] = [];
  const missing = await bring(options.contestants.map(contestantOf));
  for (const id of options.contestants) {
    const contestant = contestantOf(id);
    const reason = contestant.needs.map((need) => missing.get(need)).find((each) => each !== undefined);
    if (reason !== undefined) {
      leftOut.push({ id, reason });
      continue;
    }
    if (options.works.every((work) => contestant.lacks[work] !== undefined)) continue;
    showProgress(`starting and filling ${contestant.name}`);
    try {
      running.push(await start(contestant, options, placement, started));
    } catch (error) {
      leftOut.push({ id, reason: `it could not be started: ${messageOf(error)}` });
    }
  }
  const standings = new Standings();
  for (const work of options.works) await contestAt(work, running, options, standings);
  return { standings, present: running.map(({ id, version }) => ({ id, version })), leftOut };
}

/** What could not be brought, with the reason. */
async function bring(wanted: readonly Contestant[]): Promise<ReadonlyMap<Need, string>> {
  const missing = new Map<Need, string>();
  for (const need of new Set(wanted.flatMap(({ needs }) => needs))) {
    showProgress(`bringing ${need} (the first time it is downloaded)`);
    try {
      if (need === 'npm') await installPackages();
      else await installDebian(debianPeers[need]);
    } catch (error) {
      missing.set(need, `it could not be installed: ${messageOf(error)}`);
    }
  }
  return missing;
}

async function start(
  contestant: Contestant,
  { folder, documents }: PeersOptions,
  placement: Placement,
  started: AsyncDisposable[],
): Promise<Running> {
  const { id, isEmbedded } = contestant;
  const own = join(folder, id);
  mkdirSync(own, { recursive: true });
  const server = await startServer(id, { folder: own, prefix: placement.server }, ownVersion());
  if (server.daemon !== undefined) started.push(server.daemon);
  const config = { id, documents, port: server.port ?? 0, folder: own };
  const load = new LoadProcess(config, isEmbedded ? [] : placement.load);
  started.push(load);
  await load.fill();
  return { id, version: server.version, contestant, load };
}

async function contestAt(
  work: WorkId,
  running: readonly Running[],
  options: PeersOptions,
  standings: Standings,
): Promise<void> {
  const taking = running.filter(({ contestant }) => contestant.lacks[work] === undefined);
  const turns = new Map<ContestantId, Turn[]>();
  const failed = new Set<ContestantId>();
  for (let round = -1; round < options.rounds; round += 1) {
    for (const { id, contestant, load } of taking) {
      if (failed.has(id)) continue;
      const at = round < 0 ? 'warming up' : `round ${round + 1} of ${options.rounds}`;
      showProgress(`${workOf(work).label}, ${at}: ${contestant.name}`);
      try {
        const turn = await load.turn(work, turnOptions(options, round));
        if (round >= 0) turns.set(id, [...(turns.get(id) ?? []), turn]);
      } catch (error) {
        failed.add(id);
        standings.fail(work, id, `it failed: ${messageOf(error)}`);
      }
    }
  }
  for (const [id, list] of turns) if (!failed.has(id)) standings.set(work, id, list);
}

function turnOptions({ turnMs, warmUpMs, latencyWrites, latencyPauseMs }: PeersOptions, round: number): TurnOptions {
  const isWarmUp = round < 0;
  return {
    turnMs: isWarmUp ? warmUpMs : turnMs,
    latencyWrites: isWarmUp ? Math.ceil(latencyWrites / 5) : latencyWrites,
    latencyPauseMs,
  };
}

function ownVersion(): string {
  const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 400);
}
