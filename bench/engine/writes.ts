// Durable writes of single documents and in batches, beside a bare log and beside the same work done all in LMDB.

import type { Contestant, Standing } from '../common/contest.ts';
import { contest, standingOf } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import type { Bound } from '../common/report.ts';
import { documentIn, documentOf, partitionKeyOf } from './documents.ts';
import type { Setting } from './setting.ts';
import type { Subject } from './subject.ts';

const batchDocuments = 100;
/** So few that most batches replace what is there, as upserts do in the long run. */
const batchPartitions = 100;
const warmUpMs = 150;

const bareLogBounds: Readonly<Record<number, Bound>> = { 64: { kind: 'at least', floor: 0.3, goal: 0.5 } };
const lmdbBounds: Readonly<Record<number, Bound>> = { 64: { kind: 'at least', floor: 3 } };
const lonelyBound: Bound = { kind: 'at most', floor: 1.5 };
const batchBound: Bound = { kind: 'at least', floor: 0.25, goal: 0.4 };

export async function measureWrites(setting: Setting): Promise<void> {
  const { report, options } = setting;
  for (const writers of [1, 64, 1_000]) {
    showProgress(`upserts, ${writers} in flight`);
    report.section(`durable upserts of one document, ${writers} in flight`);
    const standings = await contest(upsertContestants(setting, writers), options.rounds);
    const log = standingOf(standings, 'bare log');
    const lmdb = standingOf(standings, 'all in LMDB');
    for (const name of ['1 range', '4 ranges'])
      addUpserts(setting, writers, name, standingOf(standings, name), log, lmdb);
  }
  showProgress('inserts and updates');
  report.section('inserts and updates apart, 64 in flight');
  const turn = turnOf(setting, 64);
  const standings = await contest(
    [
      { name: 'inserts', turn: (round) => turn(round, setting.one.insert, setting.one) },
      { name: 'updates', turn: (round) => turn(round, () => setting.one.update(setting.chance), setting.one) },
      bareLogContestant(setting, 64),
    ],
    options.rounds,
  );
  for (const name of ['inserts', 'updates']) {
    const against = { name: 'bare log', figure: standingOf(standings, 'bare log').perSecond };
    report.add({ id: `${name}-64`, label: name, figure: standingOf(standings, name).perSecond, unit: '/s', against });
  }
}

function addUpserts(
  { report }: Setting,
  writers: number,
  name: string,
  standing: Standing,
  log: Standing,
  lmdb: Standing,
): void {
  const id = `upserts-${writers}-${name.replace(' ', '-')}`;
  if (writers === 1) {
    report.add({
      id: `${id}-latency`,
      label: `${name}: latency of a lone writer`,
      figure: standing.latencyMs,
      unit: 'ms',
      against: { name: 'bare log', figure: log.latencyMs },
      bound: lonelyBound,
    });
  }
  report.add({
    id: `${id}-log`,
    label: name,
    figure: standing.perSecond,
    unit: '/s',
    against: { name: 'bare log', figure: log.perSecond },
    ...boundIn(bareLogBounds, writers),
  });
  report.add({
    id: `${id}-lmdb`,
    label: name,
    figure: standing.perSecond,
    unit: '/s',
    against: { name: 'all in LMDB', figure: lmdb.perSecond },
    ...boundIn(lmdbBounds, writers),
  });
  report.add({ id: `${id}-p99`, label: `${name}: p99`, figure: standing.latencyP99Ms, unit: 'ms' });
  for (const [beside, other] of [
    ['bare log', log],
    ['all in LMDB', lmdb],
  ] as const) {
    report.add({
      id: `${id}-processor${other === log ? '-log' : ''}`,
      label: `${name}: processor time of one`,
      figure: standing.processorMicros,
      unit: 'µs',
      against: { name: beside, figure: other.processorMicros },
    });
  }
}

export async function measureBatches(setting: Setting): Promise<void> {
  const { report, options, chance, bareLog, lmdb } = setting;
  for (const writers of [1, 64]) {
    showProgress(`batches of ${batchDocuments}, ${writers} in flight`);
    report.section(`batches of ${batchDocuments} upserts, ${writers} in flight, documents a second`);
    const turn = turnOf(setting, writers);
    const batchesOf = (subject: Subject): Contestant => ({
      name: subject === setting.one ? '1 range' : '4 ranges',
      turn: async (round) => inDocuments(await turn(round, () => putBatch(subject, chance(batchPartitions)), subject)),
    });
    const bytesOf = (partition: number): Buffer[] =>
      Array.from({ length: batchDocuments }, (_, i) => documentIn(partition, i, 1));
    const standings = await contest(
      [
        batchesOf(setting.one),
        {
          name: 'bare log',
          turn: async (round) => inDocuments(await turn(round, () => bareLog.append(Buffer.concat(bytesOf(1))))),
        },
        batchesOf(setting.four),
        {
          name: 'all in LMDB',
          turn: async (round) => {
            const put = () => lmdb.upsertMany(bytesOf(chance(batchPartitions)));
            return inDocuments(await turn(round, put));
          },
        },
      ],
      options.rounds,
    );
    for (const name of ['1 range', '4 ranges']) {
      const figure = standingOf(standings, name).perSecond;
      const id = `batches-${writers}-${name.replace(' ', '-')}`;
      const log = { name: 'bare log', figure: standingOf(standings, 'bare log').perSecond };
      const all = { name: 'all in LMDB', figure: standingOf(standings, 'all in LMDB').perSecond };
      report.add({ id: `${id}-log`, label: name, figure, unit: '/s', against: log, bound: batchBound });
      report.add({ id: `${id}-lmdb`, label: name, figure, unit: '/s', against: all });
      for (const beside of ['bare log', 'all in LMDB']) {
        report.add({
          id: `${id}-processor${beside === 'bare log' ? '-log' : ''}`,
          label: `${name}: processor time of a document`,
          figure: standingOf(standings, name).processorMicros,
          unit: 'µs',
          against: { name: beside, figure: standingOf(standings, beside).processorMicros },
        });
      }
    }
  }
}

function putBatch(subject: Subject, partition: number): Promise<unknown> {
  const operations = Array.from({ length: batchDocuments }, (_, i) => ({ upsert: documentIn(partition, i, 1) }));
  return subject.container.batch(partitionKeyOf(partition), operations);
}

function inDocuments(driven: Drive): Drive {
  return { ...driven, operations: driven.operations * batchDocuments };
}

function upsertContestants(setting: Setting, writers: number): Contestant[] {
  const { chance, one, four, lmdb } = setting;
  const turn = turnOf(setting, writers);
  let version = 0;
  const putInLmdb = (): Promise<void> => {
    version += 1;
    const n = (version & 1) === 0 ? setting.options.documents * 2 + version : chance(setting.options.documents);
    return lmdb.upsert(documentOf(n, version));
  };
  return [
    { name: '1 range', turn: (round) => turn(round, () => one.upsert(chance), one) },
    bareLogContestant(setting, writers),
    { name: '4 ranges', turn: (round) => turn(round, () => four.upsert(chance), four) },
    { name: 'all in LMDB', turn: (round) => turn(round, putInLmdb) },
  ];
}

function bareLogContestant(setting: Setting, writers: number): Contestant {
  const turn = turnOf(setting, writers);
  let n = 0;
  return { name: 'bare log', turn: (round) => turn(round, () => setting.bareLog.append(documentOf(n++, 0))) };
}

function turnOf({ options }: Setting, writers: number) {
  return (round: number, operation: () => Promise<unknown>, subject?: Subject): Promise<Drive> => {
    const turnMs = round < 0 ? warmUpMs : options.turnMs;
    return drive({ writers, turnMs, ...(subject === undefined ? {} : { settle: subject.settle }) }, operation);
  };
}

function boundIn(bounds: Readonly<Record<number, Bound>>, writers: number): { bound?: Bound } {
  const bound = bounds[writers];
  return bound === undefined ? {} : { bound };
}
