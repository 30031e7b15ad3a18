// The command line of a long run: what it asks for, or how to ask.

import { parseArgs } from 'node:util';

export interface CommandLine<Name extends string> {
  /** What `--help` shows, and whoever asks for something that there is not. */
  readonly usage: string;
  /** Flags that take a value, with what they have without one. */
  readonly values: Readonly<Record<Name, string | undefined>>;
  /** Of these, whole numbers. */
  readonly numbers?: readonly NoInfer<Name>[];
  /** Flags that are there or not. `--no-…` takes one back. */
  readonly switches?: Readonly<Record<string, boolean>>;
}

export interface CommandValues<Name extends string> {
  text(name: Name): string | undefined;
  /** Of a flag that has a number when nobody says one. */
  number(name: Name): number;
  isOn(name: string): boolean;
}

export class UsageError extends Error {}

export function parseCommandLine<Name extends string>(
  { values, numbers = [], switches = {} }: CommandLine<Name>,
  args: readonly string[],
): CommandValues<Name> {
  const texts = Object.keys(values).map((name) => [name, { type: 'string' as const }]);
  const flags = Object.keys(switches).map((name) => [name, { type: 'boolean' as const }]);
  let read: Record<string, unknown>;
  try {
    read = parseArgs({
      args: [...args],
      options: Object.fromEntries([...texts, ...flags]),
      allowNegative: true,
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const text = (name: Name): string | undefined => (read[name] as string | undefined) ?? values[name];
  for (const name of numbers) {
    const given = text(name);
    if (given !== undefined && !/^\d{1,15}$/.test(given)) {
      throw new UsageError(`--${name} takes a whole number, not '${given}'.`);
    }
  }
  return {
    text,
    number: (name) => Number(text(name)),
    isOn: (name) => (read[name] as boolean | undefined) ?? switches[name] ?? false,
  };
}

/** Ends the process where the command line only asks for help (0) or cannot be understood (2). */
export function readCommandLine<Name extends string>(line: CommandLine<Name>): CommandValues<Name> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(line.usage);
    process.exit(0);
  }
  try {
    return parseCommandLine(line, args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${line.usage}`);
    process.exit(2);
  }
}
