// What an upsert, a point read and a page of the feed cost now.

import { readFileSync } from 'node:fs';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import type { Chance } from '../engine/chance.ts';
import { readOne } from '../engine/points.ts';
import type { Subject } from '../engine/subject.ts';
import type { Cost, CostOptions } from './cost.ts';
import { costOf } from './cost.ts';
import type { CostName, Task } from './messages.ts';

const writers = 64;
const pageItems = 1_000;
const pageBytes: number = 4 * 1024 * 1024;

export async function measureCosts(
  large: Subject,
  small: Subject,
  chance: Chance,
  { rounds, operations }: Task,
): Promise<Record<CostName, Cost>> {
  const compare = (
    { isAlone, measure, ...more }: Pick<CostOptions, 'isAlone' | 'measure'> & { readonly rounds?: number },
    turn: (subject: Subject) => Promise<Drive>,
  ): Promise<Cost> =>
    costOf({
      rounds: more.rounds ?? rounds,
      measure,
      isAlone,
      large: () => turn(large),
      small: () => turn(small),
      ...(!isAlone && process.platform === 'linux' ? { written: writtenBytes } : {}),
    });
  const upsert = await compare({ isAlone: false, measure: 'processor time' }, (subject) =>
    drive({ writers, operations, settle: subject.settle }, () => subject.upsert(chance)),
  );
  // Reads leave everything as it was: so many rounds that what others do to single ones does not count.
  const readRounds = rounds * 3;
  const read = await compare({ isAlone: true, measure: 'median', rounds: readRounds }, (subject) =>
    drive({ writers: 1, operations: operations * 2 }, () => readOne(subject, chance(subject.count))),
  );
  const page = (after: (tailLsn: number) => number): Promise<Cost> =>
    compare({ isAlone: true, measure: 'processor time', rounds: readRounds }, (subject) =>
      readPages(subject, operations / 50, after),
    );
  const pageStart = await page(() => 0);
  // Anywhere in the middle third: some of it was written by many writers at once, some by few, as everywhere.
  const pageMiddle = await page((tailLsn) => Math.floor(tailLsn / 3) + chance(Math.ceil(tailLsn / 3)));
  const pageTail = await page((tailLsn) => Math.max(0, tailLsn - pageItems));
  return { upsert, read, pageStart, pageMiddle, pageTail };
}

/** One range after the other. The cost is that of as many documents as fill a page: where some were replaced since, it has fewer. */
async function readPages(subject: Subject, operations: number, after: (tailLsn: number) => number): Promise<Drive> {
  const { engine } = subject.database;
  const container = subject.container.info.number;
  const ranges = subject.container.ranges.map(({ id, tailLsn }) => ({ id, tailLsn }));
  let pages = 0;
  let documents = 0;
  const driven = await drive({ writers: 1, operations }, async () => {
    const range = ranges[pages++ % ranges.length] as { id: string; tailLsn: number }; // There are eight.
    const request = { mode: 'latest', after: after(range.tailLsn), itemsMax: pageItems, bytesMax: pageBytes } as const;
    const page = await engine.feed({ container, range: range.id }, request);
    documents += page.count;
    page.release?.();
  });
  const filled = documents / (pages * pageItems);
  const { p50, p99, max } = driven.latencyMs;
  const latencyMs = { p50: p50 / filled, p99: p99 / filled, max: max / filled };
  return { ...driven, operations: documents / pageItems, latencyMs };
}

/**
 * What this process has written, the index's pages included: it maps none of them for writing. `write_bytes` beside it counts
 * pieces of the page cache as a whole, which are larger than a page since Linux 6.16 and the larger the file is.
 */
function writtenBytes(): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
