// Fills the databases with as many documents as asked for.

import { drive, perSecond } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { documentOf } from './documents.ts';
import { measureAsWritten, measureContiguous } from './feed.ts';
import type { Setting } from './setting.ts';

/** The share of documents written by few writers, whose frames are small. */
const thinShare = 0.2;
const lmdbWriters = 5_000;
/** So large commits leave long lists of free pages, on which the first small ones spend milliseconds each: not measured either. */
const lmdbRewrites = 10_000;

/** The feed is measured on the way: as few writers wrote it, and contiguous, before anything else is written. */
export async function loadDatabases(setting: Setting, isFeedMeasured: boolean): Promise<void> {
  const { report, options, one, four } = setting;
  report.section('loading, and the feed from the beginning in pages of 4 MiB, documents a second');
  for (const subject of [one, four]) {
    const ranges = subject === one ? '1 range' : '4 ranges';
    const thin = Math.floor(options.documents * thinShare);
    showProgress(`loading ${options.documents} documents into ${ranges}`);
    await subject.load(thin, 64);
    if (isFeedMeasured) await measureAsWritten(setting, subject, ranges);
    const loaded = await subject.load(options.documents - thin, 1_000);
    report.add({
      id: `load-${ranges.replace(' ', '-')}`,
      label: `${ranges}: inserts, 1,000 in flight`,
      figure: perSecond(loaded),
      unit: '/s',
    });
    if (isFeedMeasured) await measureContiguous(setting, subject, ranges);
  }
}

/** In groups as large as they come: this is preparation, not measured. */
export async function loadLmdb({ options, lmdb, chance }: Setting): Promise<void> {
  showProgress(`loading ${options.documents} documents into LMDB`);
  let next = 0;
  await drive({ writers: lmdbWriters, operations: options.documents }, () => lmdb.upsert(documentOf(next++, 0)));
  await drive({ writers: 64, operations: lmdbRewrites }, () => lmdb.upsert(documentOf(chance(options.documents), 0)));
}
