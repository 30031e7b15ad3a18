// What a command is called with, once commander has read it.

import { UsageError } from './usage-error.ts';

export interface Call {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Of options that may be given several times. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** The exit code: 0 done, 1 failed. Throws a UsageError (2) or anything else (1). */
export type Run = (call: Call) => Promise<number>;

export function textOption({ options }: Call, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Empty where it was not given. */
export function listOption({ lists }: Call, name: string): readonly string[] {
  return lists?.[name] ?? [];
}

export function isOn({ options }: Call, name: string): boolean {
  return options[name] === true;
}

/** A whole number from `min` to `max`. */
export function numberOption(
  call: Call,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = textOption(call, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${kebab(name)} must be a number from ${min} to ${max}, not '${text}'.`);
}

export function choiceOption<T extends string>(call: Call, name: string, choices: readonly T[]): T | undefined {
  const text = textOption(call, name);
  if (text === undefined) return undefined;
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${kebab(name)} must be ${choices.join(' or ')}, not '${text}'.`);
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
