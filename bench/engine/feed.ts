// The feed from the beginning, beside a bare sequential read of as many bytes of the same files, 1 MiB at a time.
//
// The floor is judged against the read into a few buffers in turn: like the product's pages those are given back when they
// have been sent. What reads into fresh buffers, and into one again and again, take is reported beside it.

import type { ReadBuffers } from '../baseline/sequential-read.ts';
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
/**
 * Before they count: the compiler, and what loading has left to do in the background, take a second or two. It is over when
 * as many rounds were no quicker than those before them, not before the one time and in any case after the other.
 */
const steadyGain = 0.95;
const warmUpMsMax = 5_000;
const quickWarmUpMsMax = 450;
const warmUpMsMin = 1_000;

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

interface Read {
  readonly elapsedMs: number;
  /** Of all threads. */
  readonly processorMs: number;
}

export interface FeedRead extends Read {
  readonly documents: number;
  readonly bytes: number;
}

/** Page after page, range after range, up to these LSNs. */
export async function readFeed(subject: Subject, tails: ReadonlyMap<string, number>): Promise<FeedRead> {
  const { engine } = subject.database;
  const container = subject.container.info.number;
  let documents = 0;
  let bytes = 0;
  const processorBefore = process.cpuUsage();
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
  return { documents, bytes, elapsedMs: performance.now() - startedMs, processorMs: processorMsSince(processorBefore) };
}

function measured(read: () => number): Read {
  const processorBefore = process.cpuUsage();
  return { elapsedMs: read(), processorMs: processorMsSince(processorBefore) };
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function tailsOf(subject: Subject): Map<string, number> {
  return new Map(subject.container.ranges.map((range) => [range.id, range.tailLsn]));
}

async function measureFeed(
  { report, options }: Setting,
  subject: Subject,
  what: {
    readonly id: string;
    readonly label: string;
    readonly tails: ReadonlyMap<string, number>;
    readonly isContiguous: boolean;
  },
): Promise<void> {
  const kinds: readonly ReadBuffers[] = ['in turn', 'one'];
  const feed: FeedRead[] = [];
  const reads = kinds.map((): Read[] => []);
  const fresh: Read[] = [];
  const readOnce = async (): Promise<{ readonly feed: FeedRead; readonly bare: Read[] }> => {
    const read = await readFeed(subject, what.tails);
    // All hand over, or skip, the same bytes: the documents and nothing else.
    const bare = kinds.map((kind) => measured(() => readSequentially(subject.folder, read.bytes, kind)));
    return { feed: read, bare };
  };
  await untilSteady(options.isQuick, async () => (await readOnce()).feed.elapsedMs);
  while (feed.length < rounds) {
    const round = await readOnce();
    feed.push(round.feed);
    for (const [i, list] of reads.entries()) list.push(round.bare[i] as Read);
  }
  // By itself: its buffers would be collected in the turns of the others, and some of theirs in its first ones.
  const { bytes, documents } = feed[0] as FeedRead; // There were rounds.
  const readFresh = (): Read => measured(() => readSequentially(subject.folder, bytes, 'fresh'));
  for (let round = 0; round < rounds; round += 1) readFresh();
  while (fresh.length < rounds) fresh.push(readFresh());
  const rate = (list: readonly Read[]): number => median(list.map(({ elapsedMs }) => documents / (elapsedMs / 1_000)));
  const processor = (list: readonly Read[]): number =>
    median(list.map(({ processorMs }) => (processorMs * 1_000) / documents));
  const [inTurn, one] = reads as [Read[], Read[]]; // One for each kind.
  const base = { label: what.label, figure: rate(feed), unit: '/s' };
  const beside = (name: string, list: readonly Read[]) => ({ name, figure: rate(list) });
  report.add({ ...base, id: `${what.id}-read`, against: beside('read, buffers in turn', inTurn), bound: readBound });
  report.add({ ...base, id: `${what.id}-fresh`, against: beside('read, fresh buffers', fresh) });
  report.add({ ...base, id: `${what.id}-one`, against: beside('read, one buffer', one) });
  report.add({
    id: `${what.id}-processor`,
    label: `${what.label}: processor time of a document`,
    figure: processor(feed),
    unit: 'µs',
    against: { name: 'read, buffers in turn', figure: processor(inTurn) },
  });
  if (what.isContiguous) report.add({ ...base, id: `${what.id}-rate`, bound: contiguousBound });
}

async function untilSteady(isQuick: boolean, round: () => Promise<number>): Promise<void> {
  const startedMs = performance.now();
  const endMs = startedMs + (isQuick ? quickWarmUpMsMax : warmUpMsMax);
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const times: number[] = [];
    while (times.length < rounds) times.push(await round());
    const now = median(times);
    const isSteady = now > before * steadyGain && performance.now() > startedMs + warmUpMsMin;
    if (isSteady || performance.now() > endMs) return;
    before = Math.min(before, now);
  }
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
