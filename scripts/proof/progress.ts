// How far the proof is, and how long it will still take.

import type { Step } from './steps.ts';

/** After so much of the work the machine's own speed counts for all. */
const minutesOfTrust = 3;

export interface Progress {
  readonly lanes: number;
  readonly elapsedSeconds: number;
  /** name → seconds that it took. */
  readonly done: ReadonlyMap<string, number>;
  /** name → seconds that it has run for. */
  readonly running: ReadonlyMap<string, number>;
  readonly waiting: readonly string[];
}

export function secondsLeft(progress: Progress, steps: Readonly<Record<string, Step>>): number {
  const expected = (name: string): number => (steps[name]?.minutes ?? 0) * 60;
  const sum = (names: Iterable<string>): number => [...names].reduce((seconds, name) => seconds + expected(name), 0);
  const doneExpected = sum(progress.done.keys());
  const doneTaken = [...progress.done.values()].reduce((seconds, taken) => seconds + taken, 0);
  const trust = minutesOfTrust * 60;
  const pace = (doneTaken + trust) / (doneExpected + trust);
  const ofRunning = [...progress.running].map(([name, ran]) => Math.max(0, expected(name) * pace - ran));
  const inAll = ofRunning.reduce((seconds, left) => seconds + left, sum(progress.waiting) * pace);
  return Math.max(inAll / progress.lanes, 0, ...ofRunning, ...progress.waiting.map((name) => expected(name) * pace));
}

export function progressLine(progress: Progress, steps: Readonly<Record<string, Step>>): string {
  const all = progress.done.size + progress.running.size + progress.waiting.length;
  const running = [...progress.running].map(([name, ran]) => `${name} for ${clock(ran)}`).join(', ');
  const left = Math.ceil(secondsLeft(progress, steps) / 60);
  return `${clock(progress.elapsedSeconds)}  ${progress.done.size} of ${all} steps done; running ${running}; about ${left} min left`;
}

/** 75 → 1:15 */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
