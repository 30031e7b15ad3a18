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
import { processorMsOf } from './servers/processor-time.ts';
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
  /** Of its server, where it has one. */
  readonly pid: number | undefined;
}

export async function runContest(options: PeersOptions, placement: Placement): Promise<Contest> {
  const started: AsyncDisposable[] = [];
  const stop = async (): Promise<void> => {
    showProgress('stopping everybody');
    for (const each of started.splice(0).reverse()) await each[Symbol.asyncDispose]();
  };
  const interrupted = (): void => void stop().finally(() => process.exit(1));
  for (const signal of endSignals) process.once(signal, interrupted);
  try {
    return await runWith(options, placement, started);
  } finally {
    await stop();
    for (const signal of endSignals) process.off(signal, interrupted);
  }
}

/** Nobody's server may outlive the run. */
const endSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

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
  return { id, version: server.version, contestant, load, pid: server.daemon?.pid };
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
    for (const each of taking) {
      const { id, contestant } = each;
      if (failed.has(id)) continue;
      const at = round < 0 ? 'warming up' : `round ${round + 1} of ${options.rounds}`;
      showProgress(`${workOf(work).label}, ${at}: ${contestant.name}`);
      try {
        if (round < 0) await each.load.turn(warmUpOf(work), warmUpOptions(work, options));
        else turns.set(id, [...(turns.get(id) ?? []), await turnOf(each, work, options)]);
      } catch (error) {
        failed.add(id);
        standings.fail(work, id, `it failed: ${messageOf(error)}`);
      }
    }
  }
  for (const [id, list] of turns) if (!failed.has(id)) standings.set(work, id, list);
}

async function turnOf({ load, pid }: Running, work: WorkId, options: TurnOptions): Promise<Turn> {
  const before = pid === undefined ? undefined : processorMsOf(pid);
  const turn = await load.turn(work, options);
  const after = pid === undefined ? undefined : processorMsOf(pid);
  if (before === undefined || after === undefined) return turn;
  return { ...turn, details: { ...turn.details, serverMicros: ((after - before) * 1_000) / turn.documents } };
}

/** A single write in flight would warm nobody up. */
function warmUpOf(work: WorkId): WorkId {
  return work === 'upserts-1' ? 'upserts-64' : work;
}

/** Long before the first work of its kind: by then Node runs compiled code on both sides. */
function warmUpOptions(work: WorkId, { warmUpMs, warmUpLaterMs, latencyWrites, ...rest }: PeersOptions): TurnOptions {
  const isLater = work === 'upserts-64' || work === 'upserts-256';
  return { ...rest, turnMs: isLater ? warmUpLaterMs : warmUpMs, latencyWrites: Math.ceil(latencyWrites / 5) };
}

function ownVersion(): string {
  const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 400);
}
