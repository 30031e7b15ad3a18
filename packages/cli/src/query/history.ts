// What was typed at the prompt before: a file with a query a line, the oldest first, which only its owner reads.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { historyLinesMax } from '../limits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface History {
  /** The newest first, as an editor of lines wants them. */
  readonly entries: readonly string[];
  readonly entriesMax: number;
  add(entry: string): void;
}

/** Of no file: for this time only. */
export const noHistory: History = { entries: [], entriesMax: historyLinesMax, add: () => {} };

/** Where programs keep what they would not like to lose and can do without. */
export function historyPath(environment: Environment): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = environment;
  const folder = state || (process.platform === 'win32' && local) || join(homedir(), '.local', 'state');
  return join(folder, 'tidemark', 'query-history');
}

/** A file that cannot be read or written is told to `onTrouble`, once, and then there is none. */
export function fileHistory(path: string, onTrouble: (message: string) => void): History {
  let isBroken = false;
  const attempt = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (error) {
      isBroken = true;
      onTrouble(`The history of the prompt is not kept: ${(error as Error).message}`); // The file system throws Errors.
    }
  };
  let entries: string[] = [];
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    entries = existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
    if (entries.length > 2 * historyLinesMax) {
      entries = entries.slice(-historyLinesMax);
      writeFileSync(path, `${entries.join('\n')}\n`, { mode: 0o600 });
    }
  });
  return {
    entries: [...new Set(entries.toReversed())].slice(0, historyLinesMax),
    entriesMax: historyLinesMax,
    add: (entry) => attempt(() => appendFileSync(path, `${entry}\n`, { mode: 0o600 })),
  };
}

/**
 * `lines` is the list of an editor of lines, the newest first, and its first is the line that was just typed. A query over several lines
 * comes back as one, so that it can be changed as a whole; `typed` is what of it was there already. A comment would swallow the line
 * behind it: such lines stay by themselves.
 */
export function rememberIn(lines: string[], typed: string, history: History): void {
  const [last] = lines;
  if (last === undefined) return;
  const before = oneLineOf(typed);
  const isCommand = last.trimStart().startsWith('\\');
  if (before !== '' && lines[1]?.trim() === before && !before.includes('--'))
    // A command is no part of the query that it stands in, which goes on behind it.
    lines.splice(0, 2, ...(isCommand ? [lines[1], last] : [`${before} ${last.trim()}`]));
  const entry = isCommand ? last : (lines[0] ?? '');
  // A line without an end is written with those that follow.
  if (isCommand || entry.trimEnd().endsWith(';') || entry.includes('--')) history.add(entry);
}

function oneLineOf(typed: string): string {
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
