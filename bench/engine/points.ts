// Point reads, beside a bare get from an index and a read from a file. All of them from memory: what a disk adds is the disk's.

import { IndexAndFile } from '../baseline/index-and-file.ts';
import type { Contestant } from '../common/contest.ts';
import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import { drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { warmFiles } from '../common/warm.ts';
import { documentOf, idOf, partitionKeyOf } from './documents.ts';
import type { Setting } from './setting.ts';
import { placeOf } from './setting.ts';
import type { Subject } from './subject.ts';

/** System members and a comma: what a stored document has more than the client's. */
const systemBytes = 150;

export async function measurePoints(setting: Setting): Promise<void> {
  const { report, options, chance } = setting;
  showProgress('point reads: filling the bare index');
  report.section('point reads, one after the other');
  const filler = Buffer.alloc(systemBytes, 0x20);
  const bareFolder = placeOf(options, 'points');
  const bare = await IndexAndFile.create(bareFolder, options.documents, (n) => ({
    id: idOf(n),
    bytes: Buffer.concat([documentOf(n, 0), filler]),
  }));
  showProgress('point reads');
  const turn = { writers: 1, turnMs: options.turnMs / 2 };
  // In a hurry once: nobody takes memory back within seconds.
  const warm = (folder: string, round: number): void => {
    if (!options.isQuick || round < 0) warmFiles(folder);
  };
  const contestant = (name: string, subject: Subject): Contestant => ({
    name,
    turn: (round) => {
      warm(subject.folder, round);
      return drive(turn, () => readOne(subject, chance(options.documents)));
    },
  });
  const standings = await contest(
    [contestant('1 range', setting.one), contestant('4 ranges', setting.four)],
    options.rounds,
    {
      name: 'index get + file read',
      turn: (round) => {
        warm(bareFolder, round);
        return drive(turn, async () => bare.read(idOf(chance(options.documents))));
      },
    },
  );
  await bare.close();
  for (const name of ['1 range', '4 ranges']) {
    report.add({
      id: `points-${name.replace(' ', '-')}`,
      label: name,
      figure: standingOf(standings, name).perSecond,
      unit: '/s',
      against: { name: 'index get + file read', figure: standingOf(standings, 'index get + file read').perSecond },
      ratio: ratioOfRounds(standings, name, 'index get + file read'),
      bound: { kind: 'at least', floor: 0.5 },
    });
    report.add({
      id: `points-${name.replace(' ', '-')}-processor`,
      label: `${name}: processor time of one`,
      figure: standingOf(standings, name).processorMicros,
      unit: 'µs',
      against: {
        name: 'index get + file read',
        figure: standingOf(standings, 'index get + file read').processorMicros,
      },
    });
  }
}

export async function readOne(subject: Subject, n: number): Promise<void> {
  const document = await subject.container.read(idOf(n), partitionKeyOf(n));
  if (document === undefined || document.bytes.length === 0) throw new Error(`The document ${n} is missing.`);
}
