// Many seeds in pieces, in this process or in several: progress, and what became of all of them.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { InvariantId } from '@tidemark/processor/testing';
import { faultKinds } from '@tidemark/processor/testing';
import { missingOf, newCoverage } from './coverage.ts';
import { programNamed, realProgram } from './program.ts';
import { formatFailure, runSeeds } from './seeds.ts';

/** A failing seed, as it goes from one process to another. */
export interface Finding {
  readonly seed: number;
  /** The first invariant that it broke. */
  readonly invariant: InvariantId;
  readonly text: string;
}

export interface PieceRequest {
  readonly from: number;
  readonly count: number;
  readonly mutant: string | undefined;
  readonly isShrunk: boolean;
  readonly failuresMax: number;
}

export interface PieceReport {
  readonly findings: readonly Finding[];
  readonly done: number;
  readonly events: number;
  readonly changes: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly steps: ReadonlyMap<string, number>;
}

export interface CampaignOptions extends PieceRequest {
  /** How many processes; 1: this one. */
  readonly workers: number;
  readonly onLine: (line: string) => void;
}

export interface CampaignResult {
  readonly findings: readonly Finding[];
  readonly summary: readonly string[];
}

/** Short enough that all processes end at about the same time. */
const seedsPerPieceMax = 20;
/** With fewer seeds chance alone decides which transitions are met. */
const seedsOfCoverage = 1000;
const progressMs = 15_000;

export async function runPiece(request: PieceRequest): Promise<PieceReport> {
  const coverage = newCoverage();
  const program = request.mutant === undefined ? realProgram(coverage.onStep) : programNamed(request.mutant);
  const { failures, done, events, changes } = await runSeeds({ ...request, program, coverage });
  const findings = failures.map((failure) => ({
    seed: failure.seed,
    invariant: failure.violations[0]?.invariant ?? 'I1',
    text: formatFailure(failure),
  }));
  return { findings, done, events, changes, faults: coverage.faults, steps: coverage.steps };
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { from, count, workers, failuresMax, onLine } = options;
  const findings: Finding[] = [];
  const total = { done: 0, events: 0, changes: 0 };
  const coverage = newCoverage();
  const seedsPerPiece = Math.min(seedsPerPieceMax, Math.ceil(count / (4 * workers)));
  const startedMs = performance.now();
  let toldMs = startedMs;
  let next = from;

  const work = async (run: RunPiece): Promise<void> => {
    while (next < from + count && findings.length < failuresMax) {
      const piece = { from: next, count: Math.min(seedsPerPiece, from + count - next) };
      next += piece.count;
      note(await run({ ...options, ...piece, failuresMax: failuresMax - findings.length }));
    }
  };
  const note = (report: PieceReport): void => {
    total.done += report.done;
    total.events += report.events;
    total.changes += report.changes;
    for (const [kind, times] of report.faults) coverage.faults.set(kind, times);
    for (const [step, times] of report.steps) coverage.steps.set(step, times);
    for (const finding of report.findings) {
      findings.push(finding);
      onLine(finding.text);
    }
    const nowMs = performance.now();
    if (nowMs - toldMs < progressMs || total.done >= count) return;
    toldMs = nowMs;
    onLine(progressOf({ done: total.done, count, failed: findings.length, elapsedMs: nowMs - startedMs }));
  };

  if (workers <= 1) await work(runPiece);
  else await Promise.all(Array.from({ length: workers }, () => withWorker(work)));
  findings.sort((a, b) => a.seed - b.seed);
  const seconds = (performance.now() - startedMs) / 1000;
  const isCovering = options.mutant === undefined && total.done >= seedsOfCoverage;
  const missing = isCovering ? missingOf(coverage, faultKinds) : [];
  const summary = [
    `${total.done} seeds from ${from} in ${seconds.toFixed(1)} s (${(total.done / seconds).toFixed(1)} seeds/s): ${total.done - findings.length} passed, ${findings.length} failed`,
    `${total.changes} changes, ${total.events} events (${Math.round(total.events / seconds)} events/s)`,
    ...(missing.length === 0 ? [] : [`never exercised: ${missing.join(', ')}`]),
    ...(findings.length === 0 ? [] : [`by first broken invariant: ${byInvariant(findings)}`]),
    ...(findings.length < failuresMax ? [] : [`stopped after ${failuresMax} failures; --failures N goes on longer`]),
  ];
  return { findings, summary };
}

interface Progress {
  readonly done: number;
  readonly count: number;
  readonly failed: number;
  readonly elapsedMs: number;
}

export function progressOf({ done, count, failed, elapsedMs }: Progress): string {
  const leftS = Math.round(((elapsedMs / done) * (count - done)) / 1000);
  const left = leftS < 60 ? `${leftS} s` : `${Math.floor(leftS / 60)} min ${leftS % 60} s`;
  return `${done} of ${count} seeds, ${failed} failed, about ${left} left`;
}

/** `I3 2, I11 1`: how often each was the first one that broke. */
export function byInvariant(findings: readonly Pick<Finding, 'invariant'>[]): string {
  const counts = new Map<InvariantId, number>();
  for (const { invariant } of findings) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
    .map(([invariant, times]) => `${invariant} ${times}`)
    .join(', ');
}

type RunPiece = (request: PieceRequest) => Promise<PieceReport>;

/** What a process with seeds answers: a report, or why it cannot make one. */
export type WorkerAnswer = { readonly report: PieceReport } | { readonly broken: string };

/** A process of its own, which answers one piece after the other. */
async function withWorker(use: (run: RunPiece) => Promise<void>): Promise<void> {
  const child = fork(fileURLToPath(new URL('seed-worker.ts', import.meta.url)), {
    execArgv: ['--conditions=tidemark-source', '--import', 'tsx'],
    serialization: 'advanced',
  });
  const isGone = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`a process with seeds ended: ${signal ?? `code ${code}`}`)));
  });
  isGone.catch(() => undefined);
  const run: RunPiece = async ({ from, count, mutant, isShrunk, failuresMax }) => {
    const answered = new Promise<WorkerAnswer>((resolve) => {
      child.once('message', (answer) => resolve(answer as WorkerAnswer)); // The worker sends nothing else.
    });
    child.send({ from, count, mutant, isShrunk, failuresMax } satisfies PieceRequest);
    const answer = await Promise.race([answered, isGone]);
    if ('broken' in answer) throw new Error(answer.broken);
    return answer.report;
  };
  try {
    await use(run);
  } finally {
    child.kill();
  }
}
