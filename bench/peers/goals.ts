// What Tidemark wants to be beside its peers: over HTTP beside everybody, through the same client beside the other Cosmos server,
// embedded at equal durability.

import type { ContestantId } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import type { Standings } from './standings.ts';
import type { WorkId } from './works.ts';
import { works } from './works.ts';

export interface Goal {
  readonly text: string;
  readonly ours: ContestantId;
  readonly peer: ContestantId;
  readonly works: readonly WorkId[];
  /** The least ratio that holds. */
  readonly least: number;
}

export interface Verdict {
  readonly goal: Goal;
  readonly work: WorkId;
  readonly ratio: number | undefined;
  /** Undefined where there is nothing to compare. */
  readonly isHeld: boolean | undefined;
}

/** Level is what a run cannot tell apart. */
const level = 0.9;
const ahead = 1;

const singles: readonly WorkId[] = ['upserts-1', 'upserts-64', 'upserts-256'];
const writes: readonly WorkId[] = [...singles, 'bulk'];
const readings: readonly WorkId[] = ['catch-up', 'group', 'points', 'latency'];
const everything: readonly WorkId[] = works.map(({ id }) => id);

export const goals: readonly Goal[] = [
  {
    text: 'over HTTP twice PostgreSQL on single upserts',
    ours: 'tidemark-http',
    peer: 'postgres',
    works: singles,
    least: 2,
  },
  {
    text: 'over HTTP level with PostgreSQL in bulk and on point reads',
    ours: 'tidemark-http',
    peer: 'postgres',
    works: ['bulk', 'points'],
    least: level,
  },
  { text: 'over HTTP ahead of PouchDB', ours: 'tidemark-http', peer: 'pouchdb', works: everything, least: ahead },
  {
    text: 'over HTTP ahead of @vercel/cosmosdb-server',
    ours: 'tidemark-http',
    peer: 'vercel-http',
    works: everything,
    least: ahead,
  },
  // The client takes so much longer than either server that no more can be asked.
  {
    text: 'level with @vercel/cosmosdb-server, both through @azure/cosmos',
    ours: 'tidemark-sdk',
    peer: 'vercel',
    works: everything,
    least: level,
  },
  { text: 'embedded ahead of PouchDB', ours: 'tidemark-embedded', peer: 'pouchdb', works: readings, least: ahead },
  ...(['postgres', 'redis', 'nats'] as const).map(
    (peer): Goal => ({
      text: `over HTTP ahead of ${contestantOf(peer).name} on feed catch-up`,
      ours: 'tidemark-http',
      peer,
      works: ['catch-up'],
      least: ahead,
    }),
  ),
  ...(['postgres', 'redis', 'nats-always'] as const).map(
    (peer): Goal => ({
      text: `embedded ahead of ${contestantOf(peer).name} on writes, both on disk`,
      ours: 'tidemark-embedded',
      peer,
      works: writes,
      least: ahead,
    }),
  ),
  ...(['nats', 'pouchdb', 'vercel-http'] as const).map(
    (peer): Goal => ({
      text: `embedded ahead of ${contestantOf(peer).name} on writes, neither flushed`,
      ours: 'tidemark-embedded-os',
      peer,
      works: writes,
      least: ahead,
    }),
  ),
];

/** Of what was measured; what a peer does not offer is no goal. */
export function judge(standings: Standings, measured: readonly WorkId[]): Verdict[] {
  return goals.flatMap((goal) =>
    goal.works
      .filter((work) => measured.includes(work) && contestantOf(goal.peer).lacks[work] === undefined)
      .map((work) => {
        const ratio = standings.ratio(work, goal.ours, goal.peer);
        return { goal, work, ratio, isHeld: ratio === undefined ? undefined : ratio >= goal.least };
      }),
  );
}

/** Those that could not be looked at are named in one line. */
export function goalLines(verdicts: readonly Verdict[]): string[] {
  const lines = verdicts
    .filter(({ isHeld }) => isHeld !== undefined)
    .map(({ goal, work, ratio, isHeld }) => {
      const figure = ratio === undefined ? '' : `: ${ratio.toFixed(2)} of at least ${goal.least}`;
      return `${isHeld === true ? 'holds ' : 'MISSED'}  ${goal.text}, ${work}${figure}`;
    });
  const unknown = new Set(verdicts.filter(({ isHeld }) => isHeld === undefined).map(({ goal }) => goal.text));
  if (unknown.size > 0) lines.push(`Not looked at: ${[...unknown].join('; ')}.`);
  return lines;
}
