// What an operation costs in a database ten times the size, with the files of both in memory.

import type { Contestant } from '../common/contest.ts';
import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { warmFiles } from '../common/warm.ts';
import { readFeed, tailsOf } from './feed.ts';
import { readOne } from './points.ts';
import type { Setting } from './setting.ts';
import { placeOf } from './setting.ts';
import { Subject } from './subject.ts';

const times = 10;

export async function measureScale(setting: Setting): Promise<void> {
  const { report, options, one, chance } = setting;
  const documents = options.documents / times;
  const names = { small: `${documents / 1_000} k`, large: `${options.documents / 1_000} k` };
  showProgress(`scale: loading ${documents} documents`);
  report.section(`cost of an operation with ${names.large} documents beside ${names.small}`);
  await using small = await Subject.open(placeOf(options, 'small'), { ranges: 1 });
  await small.load(documents, 1_000);
  const works: Readonly<Record<string, (subject: Subject) => Promise<Drive>>> = {
    'updates, 64 in flight': (subject) =>
      drive({ writers: 64, turnMs: options.turnMs, settle: subject.settle }, () => subject.update(chance)),
    'point reads': (subject) =>
      drive({ writers: 1, turnMs: options.turnMs / 2 }, () => readOne(subject, chance(subject.count))),
    feed: async (subject) => {
      const read = await readFeed(subject, tailsOf(subject));
      const { documents: operations, elapsedMs } = read;
      return {
        operations,
        elapsedMs,
        acknowledgedMs: elapsedMs,
        processorMs: 0,
        latencyMs: { p50: 0, p99: 0, max: 0 },
      };
    },
  };
  for (const [label, work] of Object.entries(works)) {
    showProgress(`scale: ${label}`);
    const contestant = (name: string, subject: Subject): Contestant => ({
      name,
      turn: async (round) => {
        // In a hurry once: nobody takes memory back within seconds.
        if (!options.isQuick || round < 0) warmFiles(subject.folder);
        const driven = await work(subject);
        await subject.rested();
        return driven;
      },
    });
    const standings = await contest([contestant(names.large, one)], options.rounds, contestant(names.small, small));
    const costOf = (name: string): number => 1_000_000 / standingOf(standings, name).perSecond;
    report.add({
      id: `scale-${label.split(/[ ,]/)[0]}`,
      label,
      figure: costOf(names.large),
      unit: 'µs',
      against: { name: names.small, figure: costOf(names.small) },
      ratio: 1 / ratioOfRounds(standings, names.large, names.small),
      bound: { kind: 'at most', floor: 1.5 },
    });
  }
}
