// How much room the log takes under steady updates, with compaction running beside them.

import { join } from 'node:path';
import { drive, median, perSecond } from '../common/drive.ts';
import { fileBytesIn } from '../common/folder-bytes.ts';
import { showProgress } from '../common/progress.ts';
import { documentBytes, documentOf, templateOf } from './documents.ts';
import type { Setting } from './setting.ts';
import { placeOf } from './setting.ts';
import { Subject } from './subject.ts';

const segmentBytes: number = 64 * 1024 * 1024;
const quickDocumentBytes: number = 8 * 1024;
const sampleMs = 100;
const mebibyte: number = 1024 * 1024;

export async function measureSpace({ report, options, chance }: Setting): Promise<void> {
  // What counts is how often the live bytes are written over; a quick run does it with fewer, larger documents.
  const like = templateOf(options.isQuick ? quickDocumentBytes : documentBytes);
  const documents = options.isQuick ? 2_000 : 200_000;
  showProgress(`space: loading ${documents} documents`);
  report.section('space under steady updates, 64 writers, jobs running');
  await using subject = await Subject.open(placeOf(options, 'space'), { ranges: 1, maintenance: true });
  await subject.load(documents, 1_000);
  let next = 0;
  const loaded = await drive({ writers: 64, operations: documents, settle: subject.settle }, () =>
    subject.container.replace(documentOf(next++, 1, like)),
  );
  showProgress('space: updating');
  const samples: { readonly bytes: number; readonly live: number }[] = [];
  const sample = (): void => {
    const live = subject.container.ranges.reduce((sum, range) => sum + range.sizeBytes, 0);
    samples.push({ bytes: fileBytesIn(join(subject.folder, 'segments')), live });
  };
  const timer = setInterval(sample, sampleMs);
  const updates = documents * 10;
  const driven = await drive({ writers: 64, operations: updates, settle: subject.settle }, () =>
    subject.update(chance, like),
  );
  clearInterval(timer);
  sample();
  const worst = samples.reduce((a, b) => (shareOf(a) > shareOf(b) ? a : b), { bytes: 0, live: 1 });
  const bound = { kind: 'at most', floor: 1 } as const;
  const allowed = { name: '2 × live + 4 segments', figure: allowedBytes(worst.live) / mebibyte };
  report.add({
    id: 'space-worst',
    label: 'most',
    figure: worst.bytes / mebibyte,
    unit: 'MiB',
    against: allowed,
    bound,
  });
  const usual = median(samples.map(({ bytes, live }) => bytes / live));
  report.add({ id: 'space-usual', label: 'usual, beside the live bytes', figure: usual, unit: '×' });
  report.add({
    id: 'space-updates',
    label: 'updates meanwhile, 64 in flight',
    figure: perSecond(driven),
    unit: '/s',
    against: { name: 'at first', figure: perSecond(loaded) },
  });
}

function shareOf({ bytes, live }: { readonly bytes: number; readonly live: number }): number {
  return bytes / allowedBytes(live);
}

function allowedBytes(live: number): number {
  return 2 * live + 4 * segmentBytes;
}
