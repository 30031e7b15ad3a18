// Where the keys come from: the environment or a key file, never the command line, where every user of the machine sees them.

import { readFileSync, statSync } from 'node:fs';
import { wellKnownKey } from '@tidemark/model';
import type { KeySet } from '@tidemark/server';
import { parseKeyFile } from '@tidemark/server';
import { UsageError } from './usage-error.ts';

export interface KeySource {
  readonly keys: KeySet;
  /** For people: `TIDEMARK_KEY` or the file's name. */
  readonly origin: string;
  readonly isWellKnown: boolean;
  /** What should be done about the file, or undefined. */
  readonly warning: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const variables: Readonly<Record<keyof KeySet, string>> = {
  primary: 'TIDEMARK_KEY',
  secondary: 'TIDEMARK_KEY_SECONDARY',
  readOnlyPrimary: 'TIDEMARK_KEY_READONLY',
  readOnlySecondary: 'TIDEMARK_KEY_READONLY_SECONDARY',
};

const names: readonly (keyof KeySet)[] = Object.freeze(Object.keys(variables) as (keyof KeySet)[]);

export function readKeys(keyFile: string | undefined, environment: Environment): KeySource {
  const set = names.filter((name) => (environment[variables[name]] ?? '') !== '');
  if (keyFile !== undefined) {
    const [first] = set;
    if (first === undefined) return readKeyFile(keyFile);
    throw new UsageError(`Give the keys in ${keyFile} or in ${variables[first]}, not in both.`);
  }
  if (set.length === 0) {
    return { keys: { primary: wellKnownKey }, origin: 'default', isWellKnown: true, warning: undefined };
  }
  if (!set.includes('primary')) throw new UsageError('TIDEMARK_KEY is missing: the other keys need a primary one.');
  const keys = Object.fromEntries(set.map((name) => [name, environment[variables[name]]]));
  return sourceOf(parseKeys(JSON.stringify(keys), 'TIDEMARK_KEY…'), 'TIDEMARK_KEY', undefined);
}

function readKeyFile(path: string): KeySource {
  let text: string;
  let mode = 0;
  try {
    text = readFileSync(path, 'utf8');
    mode = statSync(path).mode;
  } catch (error) {
    throw new UsageError(`The key file cannot be read: ${(error as Error).message}`); // The file system throws Errors.
  }
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  const warning = isOpen ? `${path} can be read by other users of this machine: chmod 600 ${path}` : undefined;
  return sourceOf(parseKeys(text, path), path, warning);
}

/** The words of the server name the member that is wrong, never a key. */
function parseKeys(text: string, origin: string): KeySet {
  try {
    return parseKeyFile(text);
  } catch (error) {
    throw new UsageError(`${origin}: ${(error as Error).message}`); // It throws DatabaseErrors.
  }
}

function sourceOf(keys: KeySet, origin: string, warning: string | undefined): KeySource {
  return { keys, origin, isWellKnown: Object.values(keys).includes(wellKnownKey), warning };
}
