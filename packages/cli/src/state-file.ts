// The progress of an import or export in a small file, so that it can go on after an interruption.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

export type State = Readonly<Record<string, unknown>>;

export class StateFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Undefined when there is none. */
  read(): State | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return Object(JSON.parse(text));
    } catch {
      throw new UsageError(`The state file ${this.path} cannot be read; --restart begins anew.`);
    }
  }

  /** Whole or not at all: an interruption leaves the one before. */
  write(state: State): void {
    writeFileSync(`${this.path}.tmp`, `${JSON.stringify(state)}\n`);
    renameSync(`${this.path}.tmp`, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** A state is for one thing: with another it would skip what was never done. */
export function checkState(state: State, expected: State, path: string): void {
  for (const [name, value] of Object.entries(expected)) {
    if (state[name] === value) continue;
    throw new UsageError(
      `The state file ${path} belongs to something else (its ${name} is '${state[name]}', not '${value}'); --restart begins anew, --state FILE names another file.`,
    );
  }
}

/** For people, of what was stopped and has such a file. */
export function howToGoOn(isRestart: boolean): string {
  return `the same command${isRestart ? ' without --restart' : ''} goes on where it was.`;
}
