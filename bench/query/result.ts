// What a run found, as data: for the JSON, the tables and the page.

import type { Standing } from '../common/contest.ts';
import { ratioOfRounds } from '../common/contest.ts';
import { machineFacts } from '../common/report.ts';
import type { SizeFound } from './contest.ts';
import { reasonKey } from './contest.ts';
import type { ContestantId } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import type { Goal } from './goals.ts';
import { goalsOf } from './goals.ts';
import type { HostileFound, HostileId } from './hostile.ts';
import { hostiles, quiet } from './hostile.ts';
import type { QueryBenchOptions } from './options.ts';
import type { QuestionId } from './questions.ts';

/** A second: documents looked at, or answers. The median of all rounds, and the processor time of the load for one. */
export interface Figure {
  readonly perSecond: number;
  readonly least: number;
  readonly most: number;
  readonly loadMicros: number;
}

export interface SizeResult {
  readonly documents: number;
  readonly versions: Readonly<Partial<Record<ContestantId, string>>>;
  readonly figures: Readonly<Partial<Record<QuestionId, Readonly<Partial<Record<ContestantId, Figure>>>>>>;
  /** Of Tidemark to the others, round by round: above 1 it is ahead. */
  readonly ratios: Readonly<Partial<Record<QuestionId, Readonly<Record<string, Readonly<Record<string, number>>>>>>>;
  readonly reasons: Readonly<Record<string, string>>;
}

/** Milliseconds of reads, and how many times that of those while nobody asks anything. */
export interface HostileFigure {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

export interface HostileResult {
  readonly documents: number;
  readonly connections: number;
  readonly figures: Readonly<Partial<Record<HostileId | typeof quiet, HostileFigure>>>;
}

export interface Result {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sizes: readonly SizeResult[];
  readonly hostile: readonly HostileResult[];
  readonly goals: readonly Goal[];
}

export function resultOf(of: {
  readonly options: QueryBenchOptions;
  readonly sizes: readonly SizeFound[];
  readonly hostile: readonly { readonly documents: number; readonly found: HostileFound }[];
  readonly seconds: number;
}): Result {
  const { options, seconds } = of;
  const sizes = of.sizes.map((found) => sizeResult(found, options));
  const hostile = of.hostile.map(({ documents, found }) => hostileResult(documents, found));
  const facts = { ...machineFacts('query'), isQuick: options.isQuick, rounds: options.rounds, seconds };
  return { facts, sizes, hostile, goals: goalsOf(sizes, hostile) };
}

function sizeResult({ documents, standings, versions, reasons }: SizeFound, options: QueryBenchOptions): SizeResult {
  const figures: Partial<Record<QuestionId, Partial<Record<ContestantId, Figure>>>> = {};
  const ratios: Partial<Record<QuestionId, Record<string, Record<string, number>>>> = {};
  for (const [question, found] of standings) {
    const there = options.contestants.filter((id) => found.has(id));
    figures[question] = Object.fromEntries(there.map((id) => [id, figureOf(found.get(id) as Standing)]));
    const peers = there.filter((id) => !contestantOf(id).isTidemark);
    const ratiosTo = (id: ContestantId): Record<string, number> =>
      Object.fromEntries(peers.map((peer) => [peer, short(ratioOfRounds(found, id, peer))]));
    const ours = there.filter((id) => contestantOf(id).isTidemark);
    ratios[question] = Object.fromEntries(ours.map((id) => [id, ratiosTo(id)]));
  }
  return { documents, versions: Object.fromEntries(versions), figures, ratios, reasons: Object.fromEntries(reasons) };
}

function figureOf({ perSecond, processorMicros, rounds }: Standing): Figure {
  const all = rounds.map((round) => round.perSecond);
  return {
    perSecond: short(perSecond),
    least: short(Math.min(...all)),
    most: short(Math.max(...all)),
    loadMicros: short(processorMicros),
  };
}

function hostileResult(documents: number, { connections, standings }: HostileFound): HostileResult {
  const names = [quiet, ...hostiles.map(({ id }) => id)].filter((name) => standings.has(name));
  const figures = names.map((name) => {
    const { latencyMs, latencyP99Ms } = standings.get(name) as Standing;
    const ratio = (figure: 'latencyMs' | 'latencyP99Ms'): number =>
      name === quiet ? 1 : short(ratioOfRounds(standings, name, quiet, figure));
    const measured = { p50Ms: short(latencyMs), p99Ms: short(latencyP99Ms) };
    return [name, { ...measured, p50Ratio: ratio('latencyMs'), p99Ratio: ratio('latencyP99Ms') }] as const;
  });
  return { documents, connections, figures: Object.fromEntries(figures) };
}

/** Why somebody has no figure. */
export function reasonOf({ reasons }: SizeResult, id: ContestantId, question: QuestionId): string | undefined {
  return reasons[reasonKey(id)] ?? reasons[reasonKey(id, question)];
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}
