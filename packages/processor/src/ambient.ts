// What this package takes from the process beside the client's `systemEnvironment`: its variables, its name and its standard error.

import { hostname } from 'node:os';
import type { LogFacts, Logger } from './logger.ts';
import { stackOf } from './processor-error.ts';

export function systemVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** A name that no other process has. Lower case: hosts of .NET compare names in both ways (processor.md 1.2, rule 7). */
export function systemInstance(random: () => number): string {
  const letters = Array.from({ length: 4 }, () => Math.floor(random() * 36).toString(36)).join('');
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 60);
  return `${host}-${process.pid}-${letters}`;
}

/** Lines on standard error; below one about a handler stands where it threw, which is in the code of the user. */
export const systemLogger: Logger = { info: sayLine, warn: sayLine, error: sayLine };

function sayLine(message: string, { problem, error }: LogFacts): void {
  const stack = problem === 'handler-failing' || problem === 'halted' ? stackOf(error) : undefined;
  listenOnce();
  // Not by `console`, which test runners show with a stack of their own below each line.
  process.stderr.write(stack === undefined ? `${message}\n` : `${message}\n${stack}\n`);
}

let isListening = false;

/** Lines for nobody (the reader of the pipe is gone) are lost. An error event that nobody hears would end the process. */
function listenOnce(): void {
  if (isListening) return;
  isListening = true;
  process.stderr.on('error', () => {});
}
