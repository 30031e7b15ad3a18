// A contest: everybody does the same work in turns, round after round, and the median of each counts. On a machine that
// others use too, only figures taken in turns can be compared.

import type { Drive } from './drive.ts';
import { median, perSecond } from './drive.ts';

export interface Contestant {
  readonly name: string;
  /** Takes part in so many of the rounds that count, if not in all. */
  readonly rounds?: number;
  turn(round: number): Promise<Drive>;
}

interface Figures {
  readonly perSecond: number;
  /** Processor time of one operation. */
  readonly processorMicros: number;
  readonly latencyMs: number;
  readonly latencyP99Ms: number;
}

/** The median of each figure. */
export interface Standing extends Figures {
  readonly rounds: readonly Figures[];
}

/** `rounds` that count, after a short one that warms up. */
export async function contest(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<ReadonlyMap<string, Standing>> {
  const drives = new Map<string, Drive[]>();
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of contestants) {
      if (round >= (contestant.rounds ?? rounds)) continue;
      const driven = await contestant.turn(round);
      if (round < 0) continue;
      const list = drives.get(contestant.name) ?? [];
      list.push(driven);
      drives.set(contestant.name, list);
    }
  }
  const standings = new Map<string, Standing>();
  for (const [name, list] of drives) {
    const figures = list.map(figuresOf);
    const medianOf = (figure: keyof Figures): number => median(figures.map((round) => round[figure]));
    standings.set(name, {
      perSecond: medianOf('perSecond'),
      processorMicros: medianOf('processorMicros'),
      latencyMs: medianOf('latencyMs'),
      latencyP99Ms: medianOf('latencyP99Ms'),
      rounds: figures,
    });
  }
  return standings;
}

export function standingOf(standings: ReadonlyMap<string, Standing>, name: string): Standing {
  const standing = standings.get(name);
  if (standing === undefined) throw new Error(`Nobody called "${name}" took part.`);
  return standing;
}

/** Of those of a round to each other, the median: a machine that is slow for a while is slow for both. */
export function ratioOfRounds(
  standings: ReadonlyMap<string, Standing>,
  name: string,
  other: string,
  figure: keyof Figures = 'perSecond',
): number {
  const others = standingOf(standings, other).rounds;
  const common = standingOf(standings, name).rounds.slice(0, others.length);
  return median(common.map((round, i) => round[figure] / (others[i] as Figures)[figure]));
}

function figuresOf(driven: Drive): Figures {
  return {
    perSecond: perSecond(driven),
    processorMicros: (driven.processorMs * 1_000) / driven.operations,
    latencyMs: driven.latencyMs.p50,
    latencyP99Ms: driven.latencyMs.p99,
  };
}
