// Kills writers, one after the other, on one folder. A writer is started while the one before it still runs, so that the
// time it takes to load is not waited for; it opens the folder when it is told to.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { programOf } from '../../packages/testing/src/programs.ts';
import { SeededRandom } from '../../packages/testing/src/seeded-random.ts';
import { CrashModel } from './crash-model.ts';
import type { Message, Orders, Phase } from './protocol.ts';
import { phases } from './protocol.ts';

export interface CrashReport {
  readonly kills: number;
  readonly withWritesInFlight: number;
  /** Kills that came while this was going on. */
  readonly during: Readonly<Record<Phase, number>>;
  readonly whileOpening: number;
  /** Starts that found no index of use. The first is one of them. */
  readonly rebuilds: number;
  readonly acknowledged: number;
  /** Documents whose write was not acknowledged and is there all the same. */
  readonly survived: number;
}

/** When to kill: held inside a phase, as soon as a phase is announced, after so many acknowledgements, or while opening. */
type Plan =
  | { readonly kind: 'held'; readonly phase: Phase; readonly step: number }
  | { readonly kind: 'announced'; readonly phase: Phase }
  | { readonly kind: 'acknowledged'; readonly count: number }
  | { readonly kind: 'opening'; readonly after: number };

const warmUpAcks = 40;
/** A plan that does not come about must not run for ever. */
const acksMax = 4_000;
const stepsMax: Readonly<Record<Phase, number>> = { roll: 8, index: 3, split: 4, compaction: 24 };

export async function runCrashes(options: {
  readonly folder: string;
  readonly kills: number;
  readonly seed: string;
  readonly onKill?: (kill: number, summary: string) => void;
  readonly onMessage?: (kill: number, message: Message) => void;
}): Promise<CrashReport> {
  const random = new SeededRandom(options.seed);
  const model = new CrashModel();
  const during: Record<Phase, number> = { roll: 0, index: 0, split: 0, compaction: 0 };
  const totals = { withWritesInFlight: 0, whileOpening: 0, rebuilds: 0 };
  let next = startWriter();
  try {
    // One more writer than kills: it only looks at what the last one left.
    for (let kill = 1; kill <= options.kills + 1; kill += 1) {
      const writer = next;
      const isLast = kill > options.kills;
      const plan = isLast ? ({ kind: 'acknowledged', count: 0 } as const) : planFor(kill, random);
      const orders = ordersFor(options, model, kill, plan, isLast);
      next = startWriter();
      const run = await runUntilKilled(writer, orders, plan, (message) => {
        options.onMessage?.(kill, message);
        if (message.kind === 'rebuilt') totals.rebuilds += 1;
        model.take(message);
      });
      if (isLast) break;
      if (!run.isReady) totals.whileOpening += 1;
      else if (model.openCount > 0) totals.withWritesInFlight += 1;
      for (const phase of run.phases) during[phase] += 1;
      options.onKill?.(
        kill,
        `${describePlan(plan)}: ${model.openCount} writes in flight, ${[...run.phases].join(' and ')}`,
      );
    }
  } finally {
    next.process.kill('SIGKILL');
  }
  return {
    kills: options.kills,
    ...totals,
    during,
    acknowledged: model.acknowledgedCount,
    survived: model.survivedCount,
  };
}

function planFor(kill: number, random: SeededRandom): Plan {
  const turn = kill % 20;
  const phase = phases[turn % phases.length] as Phase;
  if (turn < 8) return { kind: 'held', phase, step: random.int(stepsMax[phase]) };
  if (turn < 12) return { kind: 'announced', phase };
  if (turn === 19) return { kind: 'opening', after: random.int(6) };
  return { kind: 'acknowledged', count: 1 + random.int(300) };
}

function describePlan(plan: Plan): string {
  if (plan.kind === 'held') return `held in ${plan.phase}, step ${plan.step}`;
  if (plan.kind === 'announced') return `in ${plan.phase}`;
  return plan.kind === 'opening' ? 'while opening' : `after ${plan.count} acknowledgements`;
}

function ordersFor(
  options: { readonly folder: string; readonly seed: string },
  model: CrashModel,
  kill: number,
  plan: Plan,
  isLast: boolean,
): Orders {
  const plain = model.etagOf('plain');
  const kept = model.etagOf('kept');
  return {
    folder: options.folder,
    seed: `${options.seed}/${kill}`,
    firstOp: kill * 1_000_000,
    etags: { ...(plain === undefined ? {} : { plain }), ...(kept === undefined ? {} : { kept }) },
    versionsEtag: model.versionsEtag,
    readsAllVersions: isLast || kill % 25 === 0,
    checks: isLast || kill % 8 === 0,
    hold: plan.kind === 'held' ? { phase: plan.phase, step: plan.step, afterAcks: warmUpAcks } : undefined,
  };
}

interface Writer {
  readonly process: ChildProcess;
  readonly reports: Readable;
}

function startWriter(): Writer {
  const path = programOf(new URL('./writer.ts', import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'] });
  return { process: child, reports: child.stdio[3] as Readable };
}

/** Resolves when the writer is dead and everything it said has been taken. */
async function runUntilKilled(
  writer: Writer,
  orders: Orders,
  plan: Plan,
  take: (message: Message) => void,
): Promise<{ readonly isReady: boolean; readonly phases: ReadonlySet<Phase> }> {
  const on = new Set<Phase>();
  const progress = { isReady: false, acks: 0, messages: 0 };
  const exited = once(writer.process, 'exit');
  let isKilled = false;
  writer.process.send(orders);
  for await (const message of messagesOf(writer.reports)) {
    take(message);
    progress.messages += 1;
    if (message.kind === 'ready') progress.isReady = true;
    if (message.kind === 'done') progress.acks += 1;
    if (message.kind === 'phase') {
      if (message.isOn) on.add(message.phase);
      else on.delete(message.phase);
    }
    if (isKilled || !isTime(plan, message, progress)) continue;
    isKilled = true;
    writer.process.kill('SIGKILL');
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself, with code ${code} and signal ${signal}`);
  return { isReady: progress.isReady, phases: on };
}

function isTime(
  plan: Plan,
  message: Message,
  progress: { readonly isReady: boolean; readonly acks: number; readonly messages: number },
): boolean {
  if (plan.kind === 'opening') return progress.messages > plan.after;
  if (!progress.isReady) return false;
  if (progress.acks >= acksMax) return true;
  if (plan.kind === 'acknowledged') return progress.acks >= plan.count;
  if (plan.kind === 'held') return message.kind === 'held';
  const isPhase = message.kind === 'phase' && message.isOn && message.phase === plan.phase;
  return isPhase && progress.acks >= warmUpAcks;
}

/** A line that the kill cut short is no message. */
async function* messagesOf(reports: Readable): AsyncGenerator<Message> {
  let rest = '';
  for await (const chunk of reports.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Message; // The writer speaks our protocol.
  }
}
