// The feed from the beginning, beside a bare sequential read of as many bytes of the same files, 1 MiB at a time.
//
// The floor is judged against the read into fresh buffers: that one leaves its reader something to hand on, as a page does.
// The read into one buffer again and again never leaves the processor's cache; it is reported as the limit of the machine.

import { readSequentially } from '../baseline/sequential-read.ts';
import { drive, median } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import type { Bound } from '../common/report.ts';
import { documentOf } from './documents.ts';
import type { Setting } from './setting.ts';
import type { Subject } from './subject.ts';

const readBound: Bound = { kind: 'at least', floor: 0.4, goal: 0.7 };
const contiguousBound: Bound = { kind: 'at least', floor: 1_000_000 };
const pageItems = 10_000;
const pageBytes: number = 4 * 1024 * 1024;
/** A round is some milliseconds: many of them, so that the median is of undisturbed ones. */
const rounds = 15;

/** What was just loaded, by few writers: frames of some dozens of documents, of all ranges. */
export async function measureAsWritten(setting: Setting, subject: Subject, ranges: string): Promise<void> {
  showProgress(`feed of ${ranges}, as written`);
  await measureFeed(setting, subject, {
    id: `feed-as-written-${ranges.replace(' ', '-')}`,
    label: `${ranges}: feed as 64 writers wrote it`,
    tails: tailsOf(subject),
    isContiguous: false,
  });
}

/** Replaces half of everything, which makes compaction rewrite the other half into long runs; those are read. */
export async function measureContiguous(setting: Setting, subject: Subject, ranges: string): Promise<void> {
  const { report } = setting;
  const id = ranges.replace(' ', '-');
  const tails = tailsOf(subject);
  showProgress(`replacing half of ${ranges}, and compacting`);
  await replaceHalf(subject);
  const bytesBefore = subject.database.figures.segmentBytes;
  const startedMs = performance.now();
  await subject.compactAll();
  const elapsedMs = performance.now() - startedMs;
  const figure = bytesBefore / 2 ** 20 / (elapsedMs / 1_000);
  report.add({ id: `compaction-${id}`, label: `${ranges}: compaction, log bytes in`, figure, unit: 'MiB/s' });
  const label = `${ranges}: feed contiguous after compaction`;
  await measureFeed(setting, subject, { id: `feed-contiguous-${id}`, label, tails, isContiguous: true });
}

export interface FeedRead {
  readonly documents: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** Page after page, range after range, up to these LSNs. */
export async function readFeed(subject: Subject, tails: ReadonlyMap<string, number>): Promise<FeedRead> {
  const { engine } = subject.database;
  const container = subject.container.info.number;
  let documents = 0;
  let bytes = 0;
  const startedMs = performance.now();
  for (const [range, tail] of tails) {
    for (let after = 0; after < tail; ) {
      const request = { mode: 'latest', after, itemsMax: pageItems, bytesMax: pageBytes } as const;
      const page = await engine.feed({ container, range }, request);
      documents += page.count;
      for (const piece of page.pieces) bytes += piece.length;
      // The server does so as soon as it has put its answer together.
      page.release?.();
      after = page.last;
      if (page.isDrained) break;
    }
  }
  return { documents, bytes, elapsedMs: performance.now() - startedMs };
}

export function tailsOf(subject: Subject): Map<string, number> {
  return new Map(subject.container.ranges.map((range) => [range.id, range.tailLsn]));
}

async function measureFeed(
  { report }: Setting,
  subject: Subject,
  what: {
    readonly id: string;
    readonly label: string;
    readonly tails: ReadonlyMap<string, number>;
    readonly isContiguous: boolean;
  },
): Promise<void> {
  const feed: number[] = [];
  const reused: number[] = [];
  const fresh: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const read = await readFeed(subject, what.tails);
    // Both hand over, or skip, the same bytes: the documents and nothing else.
    const reusedMs = readSequentially(subject.folder, read.bytes, 'reused');
    const freshMs = readSequentially(subject.folder, read.bytes, 'fresh');
    if (round < 0) continue;
    feed.push(read.documents / (read.elapsedMs / 1_000));
    reused.push(read.documents / (reusedMs / 1_000));
    fresh.push(read.documents / (freshMs / 1_000));
  }
  const base = { label: what.label, figure: median(feed), unit: '/s' };
  const beside = (name: string, figures: readonly number[]) => ({ name, figure: median(figures) });
  const against = beside('read, fresh buffers', fresh);
  report.add({ ...base, id: `${what.id}-fresh`, against, bound: readBound });
  report.add({ ...base, id: `${what.id}-reused`, against: beside('read, one buffer', reused) });
  if (what.isContiguous) report.add({ ...base, id: `${what.id}-rate`, bound: contiguousBound });
}

/** Every second document, once. */
async function replaceHalf(subject: Subject): Promise<void> {
  let next = 0;
  await drive({ writers: 1_000, operations: Math.floor(subject.count / 2), settle: subject.settle }, () => {
    const n = next;
    next += 2;
    return subject.container.replace(documentOf(n, 1));
  });
}
