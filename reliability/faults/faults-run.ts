// Faults by the admin API, all kinds at once, with the official SDK and the processor as clients: everything arrives.

import { sizeOf } from '@tidemark/testing';
import { Load } from '../load/load.ts';
import type { Outcome, RunOptions } from '../outcome.ts';

/** Of the container that is written and followed. */
const ofItems: readonly object[] = [
  { kind: '429', probability: 0.15, retryAfterMs: 2 },
  { kind: '503', probability: 0.1 },
  { kind: '503', when: 'after', operation: ['create', 'upsert', 'delete', 'batch'], probability: 0.1 },
  { kind: '449', operation: ['create', 'upsert', 'delete'], probability: 0.1 },
  { kind: '410', operation: 'feed', probability: 0.15 },
  { kind: 'reset', probability: 0.04 },
  { kind: 'reset', when: 'after', probability: 0.04 },
  { kind: 'latency', latencyMs: 5, probability: 0.2 },
];

/** Of the leases: the hosts bear them too. */
const ofLeases: readonly object[] = [
  { kind: '429', probability: 0.1, retryAfterMs: 2 },
  { kind: '503', probability: 0.1 },
  { kind: 'reset', when: 'after', probability: 0.05 },
  { kind: 'latency', latencyMs: 20, probability: 0.2 },
];

const writesPerRound = 5_000;

export async function runFaults({ seed, minutes, onProgress }: RunOptions): Promise<Outcome> {
  await using load = await Load.open({ clients: 2, keysPerClient: 4, hosts: 2, serverArgs: ['--chaos'] });
  const { client } = load.setting;
  const untilMs = performance.now() + (minutes ?? 0) * 60_000;
  const hits: Record<string, number> = {};
  let rounds = 0;
  do {
    const scopes = [
      ...ofItems.map((fault) => ({ ...fault, container: 'items' })),
      ...ofLeases.map((fault) => ({ ...fault, container: 'leases' })),
    ];
    for (const [n, fault] of scopes.entries()) {
      await client.admin('POST', ['faults'], { ...fault, database: 'db', seed: seedOf(seed, rounds, n) });
    }
    load.start();
    await load.untilAcknowledged(
      load.judge.acknowledged + (minutes === undefined ? sizeOf('faultyWrites') : writesPerRound),
    );
    await untilAllStruck(load);
    await load.rest();
    for (const [name, count] of await hitsOf(load)) hits[name] = (hits[name] ?? 0) + count;
    await client.admin('DELETE', ['faults']);
    await load.settle();
    rounds += 1;
    onProgress(`${rounds} rounds, ${load.judge.acknowledged} acknowledged, struck: ${JSON.stringify(hits)}`);
  } while (performance.now() < untilMs && load.problems.length === 0);
  await load.stop();
  for (const [name, count] of Object.entries(hits)) if (count === 0) load.problems.push(`${name} never struck`);
  return { problems: load.problems, figures: { rounds, acknowledged: load.judge.acknowledged, hits } };
}

/** How often hosts ask for leases is a matter of time, and how long the writes take is one of the machine. */
async function untilAllStruck(load: Load): Promise<void> {
  const until = load.judge.acknowledged + writesPerRound;
  while (load.judge.acknowledged < until && load.problems.length === 0) {
    if ((await hitsOf(load)).every(([, hits]) => hits > 0)) return;
    await load.untilAcknowledged(load.judge.acknowledged + 1);
  }
}

interface Fault {
  readonly kind: string;
  readonly when: string;
  readonly container: string;
  readonly hits: number;
}

async function hitsOf({ setting }: Load): Promise<[name: string, hits: number][]> {
  const { faults } = (await setting.client.admin('GET', ['faults'])).json() as { faults: Fault[] };
  return faults.map(({ kind, when, container, hits }) => [`${container}: ${kind} ${when}`, hits]);
}

function seedOf(seed: string, round: number, n: number): number {
  let hash = round * 1_000 + n;
  for (const letter of seed) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x5bd1e995);
  return hash >>> 0;
}
