// A contest: everybody does the same work in turns, round after round, and the median of each counts. On a machine that
// others use too, only figures taken in turns can be compared, and those of two turns that follow each other best: within seconds it may
// become twice as fast. So the one that all others are measured by has a turn before and behind each of theirs.

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

interface Turn extends Figures {
  /** Of the measure, around this turn. */
  readonly measure: { readonly name: string; readonly figures: Figures } | undefined;
}

/** The median of each figure. */
export interface Standing extends Figures {
  readonly rounds: readonly Turn[];
}

/** `rounds` that count, after a short one that warms up. `measure`: has its turns between those of the others. */
export async function contest(
  contestants: readonly Contestant[],
  rounds: number,
  measure?: Contestant,
): Promise<ReadonlyMap<string, Standing>> {
  const turns = new Map<string, Turn[]>();
  const take = async ({ name, turn }: Contestant, round: number): Promise<Figures> => {
    const figures = figuresOf(await turn(round));
    if (round >= 0) turns.set(name, [...(turns.get(name) ?? []), { ...figures, measure: undefined }]);
    return figures;
  };
  for (let round = -1; round < rounds; round += 1) {
    let before = measure === undefined ? undefined : await take(measure, round);
    for (const contestant of contestants) {
      if (round >= (contestant.rounds ?? rounds)) continue;
      const figures = await take(contestant, round);
      if (measure === undefined || before === undefined) continue;
      const behind = await take(measure, round);
      const around = { name: measure.name, figures: meanOf(before, behind) };
      if (round >= 0) turns.get(contestant.name)?.splice(-1, 1, { ...figures, measure: around });
      before = behind;
    }
  }
  const standings = new Map<string, Standing>();
  for (const [name, list] of turns) {
    const medianOf = (figure: keyof Figures): number => median(list.map((turn) => turn[figure]));
    standings.set(name, {
      perSecond: medianOf('perSecond'),
      processorMicros: medianOf('processorMicros'),
      latencyMs: medianOf('latencyMs'),
      latencyP99Ms: medianOf('latencyP99Ms'),
      rounds: list,
    });
  }
  return standings;
}

export function standingOf(standings: ReadonlyMap<string, Standing>, name: string): Standing {
  const standing = standings.get(name);
  if (standing === undefined) throw new Error(`Nobody called "${name}" took part.`);
  return standing;
}

/** Of turns that are close to each other, the median: a machine that is slow for a while is slow for both. */
export function ratioOfRounds(
  standings: ReadonlyMap<string, Standing>,
  name: string,
  other: string,
  figure: keyof Figures = 'perSecond',
): number {
  const own = standingOf(standings, name).rounds;
  const others = standingOf(standings, other).rounds;
  const ratios: number[] = [];
  for (const [i, turn] of own.entries()) {
    const beside = turn.measure?.name === other ? turn.measure.figures : others[i];
    if (beside !== undefined) ratios.push(turn[figure] / beside[figure]);
  }
  return median(ratios);
}

function meanOf(a: Figures, b: Figures): Figures {
  return {
    perSecond: (a.perSecond + b.perSecond) / 2,
    processorMicros: (a.processorMicros + b.processorMicros) / 2,
    latencyMs: (a.latencyMs + b.latencyMs) / 2,
    latencyP99Ms: (a.latencyP99Ms + b.latencyP99Ms) / 2,
  };
}

function figuresOf(driven: Drive): Figures {
  return {
    perSecond: perSecond(driven),
    processorMicros: (driven.processorMs * 1_000) / driven.operations,
    latencyMs: driven.latencyMs.p50,
    latencyP99Ms: driven.latencyMs.p99,
  };
}
