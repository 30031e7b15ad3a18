// Bad clients of every kind, one kind after the other, while others write and read. The others are served all the time, nothing of
// theirs is lost, and the memory of the server stays below a bound that follows from its named limits.

import { anonymousBytesOf, isLong } from '@tidemark/testing';
import { Load } from '../load/load.ts';
import type { Outcome, RunOptions } from '../outcome.ts';
import type { Abuse } from './abuse.ts';
import { idleConnections, vanishedWaits } from './crowds.ts';
import { largeFlood } from './flood.ts';
import { nonsense } from './nonsense.ts';
import { bodiesUnderWay, deafStreams, halfOpen, neverReading, slowLoris } from './stalling.ts';

const everyAbuse: readonly Abuse[] = [
  slowLoris,
  halfOpen,
  nonsense,
  vanishedWaits,
  idleConnections,
  bodiesUnderWay,
  neverReading,
  deafStreams,
  largeFlood,
];

/** Writes of others that have to get through while an abuse is at its worst. */
const servedMin = 24;
/** When nothing of theirs gets through for so long, they are not served. */
const unservedMsMax = 120_000;
const sampleMs = 50;

export async function runClients({ minutes, onProgress }: RunOptions): Promise<Outcome> {
  const abuses = everyAbuse.filter(({ isQuick = false }) => isQuick || isLong || minutes !== undefined);
  await using load = await Load.open({ clients: 1, keysPerClient: 3, hosts: 0 });
  const { problems } = load;
  const untilMs = performance.now() + (minutes ?? 0) * 60_000;
  const growthMiB: Record<string, number> = {};
  load.start();
  await load.untilAcknowledged(servedMin);
  const { pid } = load.setting.server.child;
  const startBytes = anonymousBytesOf(pid);
  // They do not come at the same time, and what one has cost serves the next.
  const allBytesMax = Math.max(...abuses.map(({ growthBytesMax }) => growthBytesMax));
  let allBytes = 0;
  let rounds = 0;
  do {
    for (const abuse of abuses) {
      const sinceMs = performance.now();
      const bytes = await commit(abuse, load);
      const seconds = Math.round((performance.now() - sinceMs) / 1000);
      allBytes = Math.max(allBytes, anonymousBytesOf(pid) - startBytes);
      growthMiB[abuse.name] = Math.max(growthMiB[abuse.name] ?? 0, mebibytes(bytes));
      onProgress(
        `${abuse.name}: grew by ${mebibytes(bytes)} of ${mebibytes(abuse.growthBytesMax)} MiB allowed, ${seconds} s`,
      );
    }
    rounds += 1;
  } while (performance.now() < untilMs && problems.length === 0);
  if (allBytes > allBytesMax) {
    problems.push(`all of it: memory grew by ${mebibytes(allBytes)} MiB, not ${mebibytes(allBytesMax)}`);
  }
  await load.settle();
  await load.stop();
  const code = await load.setting.endServer('SIGTERM');
  if (code !== 0) problems.push(`the server ended with ${code}`);
  const log = load.setting.server.words();
  if (log.includes('"level":"error"')) problems.push(`the log has errors: ${log.slice(-2_000)}`);
  return {
    problems,
    figures: { rounds, servedMeanwhile: load.judge.acknowledged, growthMiB, inAllMiB: mebibytes(allBytes) },
  };
}

async function commit(abuse: Abuse, load: Load): Promise<number> {
  const { setting, problems } = load;
  const { pid } = setting.server.child;
  const beforeBytes = anonymousBytesOf(pid);
  let mostBytes = beforeBytes;
  const look = (): void => {
    mostBytes = Math.max(mostBytes, anonymousBytesOf(pid));
  };
  const looking = setInterval(look, sampleMs);
  try {
    const findings = await abuse.run({
      setting,
      port: setting.port,
      url: setting.url,
      othersAreServed: () => othersAreServed(load, abuse.name),
    });
    problems.push(...findings.map((finding) => `${abuse.name}: ${finding}`));
  } finally {
    clearInterval(looking);
  }
  look();
  const grownBytes = mostBytes - beforeBytes;
  if (grownBytes > abuse.growthBytesMax) {
    problems.push(`${abuse.name}: memory grew by ${mebibytes(grownBytes)} MiB, not ${mebibytes(abuse.growthBytesMax)}`);
  }
  return grownBytes;
}

async function othersAreServed({ judge, acknowledged, problems }: Load, name: string): Promise<void> {
  const target = judge.acknowledged + servedMin;
  const isServed = await acknowledged.untilOrStalled(() => judge.acknowledged >= target, unservedMsMax);
  if (!isServed) problems.push(`${name}: others were not served`);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
