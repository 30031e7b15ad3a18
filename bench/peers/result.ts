// Everything that a run found, as data: for the JSON file, the chart and the README.

import { machineFacts } from '../common/report.ts';
import { documentBytes, partitionKeys } from '../engine/documents.ts';
import type { LeftOut, Present } from './contest.ts';
import type { ContestantId } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import type { Verdict } from './goals.ts';
import type { PeersOptions } from './options.ts';
import type { Standings } from './standings.ts';
import type { Work, WorkId } from './works.ts';
import { workOf } from './works.ts';

export type Facts = Readonly<Record<string, unknown>>;

/** Of the ways to use Tidemark, by which the peers are measured. */
const ways = { http: 'tidemark-http', sdk: 'tidemark-sdk', embedded: 'tidemark-embedded' } as const;

export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly details: Readonly<Record<string, number>>;
}

export interface ResultWork extends Work {
  readonly figures: Readonly<Partial<Record<ContestantId, Figure>>>;
  /** Why there is none. */
  readonly reasons: Readonly<Partial<Record<ContestantId, string>>>;
}

export interface ResultContestant {
  readonly id: ContestantId;
  readonly name: string;
  readonly version: string;
  readonly durability: string;
  readonly client: string;
}

export type Ratios = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

export interface Result {
  readonly facts: Facts;
  readonly contestants: readonly ResultContestant[];
  readonly leftOut: readonly LeftOut[];
  readonly works: readonly ResultWork[];
  readonly ratios: Ratios;
  readonly goals: readonly {
    readonly text: string;
    readonly work: WorkId;
    readonly ratio: number | undefined;
    readonly least: number;
    readonly isHeld: boolean | undefined;
  }[];
}

export function factsOf(of: {
  readonly options: PeersOptions;
  readonly placement: string;
  readonly present: readonly Present[];
  readonly seconds: number;
}): Facts {
  const { options, placement, present, seconds } = of;
  return {
    ...machineFacts('peers'),
    placement,
    isQuick: options.isQuick,
    rounds: options.rounds,
    documents: options.documents,
    documentBytes,
    partitionKeys,
    seconds,
    versions: Object.fromEntries(present.map(({ id, version }) => [id, version])),
  };
}

export function resultOf(of: {
  readonly facts: Facts;
  readonly standings: Standings;
  readonly options: PeersOptions;
  readonly present: readonly Present[];
  readonly leftOut: readonly LeftOut[];
  readonly verdicts: readonly Verdict[];
}): Result {
  const { facts, standings, options, present, leftOut, verdicts } = of;
  return {
    facts,
    contestants: present.map(({ id, version }) => {
      const { name, durability, client } = contestantOf(id);
      return { id, name, version, durability, client };
    }),
    leftOut,
    works: options.works.map((work) => resultWork(work, standings, present)),
    ratios: ratiosOf(standings, options.works, present),
    goals: verdicts.map(({ goal, work, ratio, isHeld }) => ({
      text: goal.text,
      work,
      ratio: ratio === undefined ? undefined : short(ratio),
      least: goal.least,
      isHeld,
    })),
  };
}

function resultWork(work: WorkId, standings: Standings, present: readonly Present[]): ResultWork {
  const figures: Partial<Record<ContestantId, Figure>> = {};
  const reasons: Partial<Record<ContestantId, string>> = {};
  for (const { id } of present) {
    const standing = standings.get(work, id);
    if (standing === undefined) {
      reasons[id] = contestantOf(id).lacks[work] ?? standings.failure(work, id) ?? 'not measured';
      continue;
    }
    const details = Object.fromEntries(Object.entries(standing.details).map(([name, value]) => [name, short(value)]));
    figures[id] = { median: short(standing.figure), least: short(standing.least), most: short(standing.most), details };
  }
  return { ...workOf(work), figures, reasons };
}

/** By work, by peer, by the way Tidemark is used: above 1 it is ahead. */
export function ratiosOf(standings: Standings, works: readonly WorkId[], present: readonly Present[]): Ratios {
  const peers = present.map(({ id }) => id).filter((id) => !contestantOf(id).isTidemark);
  return Object.fromEntries(
    works.map((work) => [
      work,
      Object.fromEntries(
        peers
          .filter((peer) => standings.get(work, peer) !== undefined)
          .map((peer) => [peer, ratiosTo(standings, work, peer)]),
      ),
    ]),
  );
}

function ratiosTo(standings: Standings, work: WorkId, peer: ContestantId): Record<string, number> {
  return Object.fromEntries(
    Object.entries(ways).flatMap(([way, id]) => {
      const ratio = standings.ratio(work, id, peer);
      return ratio === undefined ? [] : [[way, short(ratio)]];
    }),
  );
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}
