// Durable writes of single documents and in batches, beside a bare log and beside the same work done all in LMDB.
//
// The index takes what is written up to a second later. With many writers the turn follows upon a ramp, so that the index has
// something to do in it as it always will; with one, what was put off is done and counted at its end.
//
// The bare log has a file of 256 MiB that is ready before its turn, and begins again at its start. Tidemark has up to four segments of 64 MiB
// ready, of a large log up to eight, which it makes while nobody writes. Whoever writes more than that without a pause has zeros written
// beside it, as those who load do here and in bench:scale. Likewise entries of documents go to their places in the index between turns, when
// nobody writes, and in a turn as far as they must. So turns are bursts; one long turn of 64 writers shows what is left without a pause.

import type { BareLogProcess } from '../baseline/bare-log-process.ts';
import type { Contestant, Standing } from '../common/contest.ts';
import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import type { Bound } from '../common/report.ts';
import type { Setting } from './setting.ts';
import type { WriterProcess } from './writer-process.ts';
import type { Work } from './writer-turn.ts';
import { batchDocuments } from './writer-turn.ts';
import type { Writers } from './writers.ts';

const warmUpMs = 150;
/** Of Tidemark, in whose process nobody has written yet: until the compiler has seen what is done often. */
const subjectWarmUpMs = 1_000;
const quickSubjectWarmUpMs = 400;
/** The index gathers for a second before it begins a transaction; turns begin all over that second. */
const gatherMs = 1_000;
const sustainedMsMin = 1_000;
const quickSustainedMsMin = 500;
/** Of the others: they are in the middle of their work when it begins to count. */
const othersRampMs = 300;
const quickOthersRampMs = 100;
/** The bare log has several turns in a round. */
const measureTurnMsMax = 500;
const withoutPause = { rampMs: 10_000, turnMs: 20_000 } as const;
/** Of a golden section: each round falls into the widest gap that those before it have left. */
const phaseShare = 0.618;

const lonelyBound: Bound = { kind: 'at most', floor: 1.5 };
const crowdBound: Bound = { kind: 'at least', floor: 0.3, goal: 0.5 };
const crowdInLmdbBound: Bound = { kind: 'at least', floor: 3 };
const batchBound: Bound = { kind: 'at least', floor: 0.25, goal: 0.4 };

/** Who stands beside. The floors are those of the bare log that writes and then flushes. */
type Baseline = 'bare log' | 'bare log, one trip' | 'all in LMDB';
const baselineIds: Readonly<Record<Baseline, string>> = {
  'bare log': 'log',
  'bare log, one trip': 'one-trip-log',
  'all in LMDB': 'lmdb',
};

/** In a hurry one of the logs must do, and LMDB is asked only where there is a floor. */
function baselinesOf({ options }: Setting, writers: number): Baseline[] {
  if (!options.isQuick) return ['bare log', 'bare log, one trip', 'all in LMDB'];
  return writers === 1 ? ['bare log'] : ['bare log', 'all in LMDB'];
}

export async function measureWrites(setting: Setting, writing: Writers): Promise<void> {
  const { report, options } = setting;
  for (const writers of options.isQuick ? [1, 64] : [1, 64, 1_000]) {
    showProgress(`upserts, ${writers} in flight`);
    report.section(`durable upserts of one document, ${writers} in flight`);
    const standings = await contest(
      contestantsOf(setting, writing, 'upserts', writers),
      options.rounds,
      measureOf(setting, writers),
    );
    for (const [name] of writing.subjects) addUpserts(setting, writers, name, standings);
  }
  if (!options.isQuick) await measureApart(setting, writing);
}

/** Long enough for several generations of late entries and more than the spares of the log. */
export async function measureWithoutPause(setting: Setting, { subjects }: Writers): Promise<void> {
  showProgress('upserts without a pause');
  setting.report.section('durable upserts of one document, 64 in flight, without a pause');
  const [name, one] = subjects[0] as Writers['subjects'][number];
  const turn = (round: number): Promise<Drive> =>
    one.turn({ work: 'upserts', writers: 64, ...(round < 0 ? { turnMs: warmUpMs, rampMs: 0 } : withoutPause) });
  const standings = await contest([{ name, turn }], 1, measureOf(setting, 64));
  setting.report.add({
    id: 'upserts-64-without-pause',
    label: `${name}: the last ${withoutPause.turnMs / 1_000} of ${(withoutPause.rampMs + withoutPause.turnMs) / 1_000} s`,
    figure: standingOf(standings, name).perSecond,
    unit: '/s',
    against: { name: 'bare log', figure: standingOf(standings, 'bare log').perSecond },
    ratio: ratioOfRounds(standings, name, 'bare log'),
  });
}

async function measureApart(setting: Setting, { subjects }: Writers): Promise<void> {
  const { report, options } = setting;
  showProgress('inserts and updates');
  report.section('inserts and updates apart, 64 in flight');
  const [, one] = subjects[0] as Writers['subjects'][number];
  const standings = await contest(
    (['inserts', 'updates'] as const).map((work) => subjectContestant(setting, work, one, work, 64)),
    options.rounds,
    measureOf(setting, 64),
  );
  for (const name of ['inserts', 'updates']) {
    report.add({
      id: `${name}-64`,
      label: name,
      figure: standingOf(standings, name).perSecond,
      unit: '/s',
      against: { name: 'bare log', figure: standingOf(standings, 'bare log').perSecond },
      ratio: ratioOfRounds(standings, name, 'bare log'),
    });
  }
}

function addUpserts(setting: Setting, writers: number, name: string, standings: ReadonlyMap<string, Standing>): void {
  const { report } = setting;
  const id = `upserts-${writers}-${name.replace(' ', '-')}`;
  const standing = standingOf(standings, name);
  for (const baseline of baselinesOf(setting, writers)) {
    const beside = standingOf(standings, baseline);
    if (writers === 1 && baseline !== 'all in LMDB') {
      report.add({
        id: `${id}-latency-${baselineIds[baseline]}`,
        label: `${name}: latency of a lone writer`,
        figure: standing.latencyMs,
        unit: 'ms',
        against: { name: baseline, figure: beside.latencyMs },
        ratio: ratioOfRounds(standings, name, baseline, 'latencyMs'),
        ...(baseline === 'bare log' ? { bound: lonelyBound } : {}),
      });
    }
    report.add({
      id: `${id}-${baselineIds[baseline]}`,
      label: name,
      figure: standing.perSecond,
      unit: '/s',
      against: { name: baseline, figure: beside.perSecond },
      ratio: ratioOfRounds(standings, name, baseline),
      ...crowdBoundOf(writers, baseline),
    });
    report.add({
      id: `${id}-processor-${baselineIds[baseline]}`,
      label: `${name}: processor time of one`,
      figure: standing.processorMicros,
      unit: 'µs',
      against: { name: baseline, figure: beside.processorMicros },
      ratio: ratioOfRounds(standings, name, baseline, 'processorMicros'),
    });
  }
  report.add({ id: `${id}-p99`, label: `${name}: p99`, figure: standing.latencyP99Ms, unit: 'ms' });
}

export async function measureBatches(setting: Setting, writing: Writers): Promise<void> {
  const { report, options } = setting;
  for (const writers of [1, 64]) {
    showProgress(`batches of ${batchDocuments}, ${writers} in flight`);
    report.section(`batches of ${batchDocuments} upserts, ${writers} in flight, documents a second`);
    const standings = await contest(
      contestantsOf(setting, writing, 'batches', writers),
      options.rounds,
      measureOf(setting, writers, batchDocuments),
    );
    for (const [name] of writing.subjects) {
      const id = `batches-${writers}-${name.replace(' ', '-')}`;
      const { perSecond, processorMicros } = standingOf(standings, name);
      for (const baseline of baselinesOf(setting, writers)) {
        if (!standings.has(baseline)) continue;
        const beside = standingOf(standings, baseline);
        report.add({
          id: `${id}-${baselineIds[baseline]}`,
          label: name,
          figure: perSecond,
          unit: '/s',
          against: { name: baseline, figure: beside.perSecond },
          ratio: ratioOfRounds(standings, name, baseline),
          ...(baseline === 'bare log' ? { bound: batchBound } : {}),
        });
        report.add({
          id: `${id}-processor-${baselineIds[baseline]}`,
          label: `${name}: processor time of a document`,
          figure: processorMicros,
          unit: 'µs',
          against: { name: baseline, figure: beside.processorMicros },
          ratio: ratioOfRounds(standings, name, baseline, 'processorMicros'),
        });
      }
    }
  }
}

function contestantsOf(setting: Setting, { subjects, lmdb }: Writers, work: Work, writers: number): Contestant[] {
  const isBatch = work === 'batches';
  const isLmdbAsked = !(isBatch && setting.options.isQuick) && baselinesOf(setting, writers).includes('all in LMDB');
  const turn = (round: number): Promise<Drive> => lmdb.turn({ work, writers, ...othersTurn(setting, writers, round) });
  return [
    ...subjects.map(([name, process]) => subjectContestant(setting, name, process, work, writers)),
    ...oneTripContestants(setting, writers, isBatch ? batchDocuments : 1),
    ...(isLmdbAsked ? [{ name: 'all in LMDB', turn }] : []),
  ];
}

function measureOf(setting: Setting, writers: number, documents = 1): Contestant {
  return logContestant('bare log', setting.bareLog, setting, writers, documents);
}

function oneTripContestants(setting: Setting, writers: number, documents = 1): Contestant[] {
  const { oneTripLog } = setting;
  return oneTripLog === undefined ? [] : [logContestant('bare log, one trip', oneTripLog, setting, writers, documents)];
}

function logContestant(
  name: Baseline,
  log: BareLogProcess,
  setting: Setting,
  writers: number,
  documents: number,
): Contestant {
  return {
    name,
    turn: async (round) => {
      const { turnMs, rampMs } = othersTurn(setting, writers, round);
      const driven = await log.turn(documents, { writers, turnMs: Math.min(turnMs, measureTurnMsMax), rampMs });
      return { ...driven, operations: driven.operations * documents };
    },
  };
}

/** Of those who put nothing off. */
function othersTurn({ options }: Setting, writers: number, round: number): { turnMs: number; rampMs: number } {
  const turnMs = round < 0 ? warmUpMs : options.turnMs;
  const rampMs = options.isQuick ? quickOthersRampMs : othersRampMs;
  return { turnMs, rampMs: writers > 1 && round >= 0 ? rampMs : 0 };
}

function subjectContestant(
  setting: Setting,
  name: string,
  process: WriterProcess,
  work: Work,
  writers: number,
): Contestant {
  const { isQuick } = setting.options;
  const turn = (round: number): Promise<Drive> => {
    const { turnMs } = othersTurn(setting, writers, round);
    if (round < 0)
      return process.turn({ work, writers, turnMs: isQuick ? quickSubjectWarmUpMs : subjectWarmUpMs, rampMs: 0 });
    if (writers === 1) return process.turn({ work, writers, turnMs, rampMs: 0 });
    // In a hurry the first transaction of the index may fall into the turn instead of before it.
    const rampMs = gatherMs * ((isQuick ? 0.2 : 1) + ((round * phaseShare) % 1));
    const sustainedMs = Math.max(turnMs, isQuick ? quickSustainedMsMin : sustainedMsMin);
    return process.turn({ work, writers, turnMs: sustainedMs, rampMs });
  };
  return { name, turn };
}

function crowdBoundOf(writers: number, baseline: Baseline): { bound?: Bound } {
  if (writers !== 64 || baseline === 'bare log, one trip') return {};
  return { bound: baseline === 'bare log' ? crowdBound : crowdInLmdbBound };
}
