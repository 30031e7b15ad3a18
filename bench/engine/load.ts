// Fills the databases with as many documents as asked for.

import { perSecond } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { measureAsWritten, measureContiguous } from './feed.ts';
import type { Setting } from './setting.ts';

/** The share of documents written by few writers, whose frames are small. */
const thinShare = 0.2;

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
