// The settings of the server, from four places in rising priority: defaults, a file, the environment, flags. A name that is
// not known is an error wherever it stands: a misspelt setting must not pass for one that was heeded.

import { readFileSync } from 'node:fs';
import { suggestion } from './nearest.ts';
import type { SettingName, Settings } from './settings.ts';
import { flagOf, settingNames, settings, variableOf } from './settings.ts';
import { UsageError } from './usage-error.ts';

type OriginKind = 'default' | 'file' | 'environment' | 'flag';

interface Origin {
  readonly kind: OriginKind;
  /** `--port`, `TIDEMARK_PORT`, `port in tidemark.json`, `default`. */
  readonly name: string;
}

export interface Config {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

export interface ConfigSources {
  /** As they stand on the command line; a switch is `true`. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where it was asked for by name; otherwise tidemark.json is taken if there is one. */
  readonly file: string | undefined;
}

const defaultConfigFile = 'tidemark.json';

/** Environment variables that are no settings of the server: keys, and what clients are told. */
export const otherVariables: readonly string[] = [
  'TIDEMARK_CONFIG',
  'TIDEMARK_KEY',
  'TIDEMARK_KEY_SECONDARY',
  'TIDEMARK_KEY_READONLY',
  'TIDEMARK_KEY_READONLY_SECONDARY',
  'TIDEMARK_ENDPOINT',
  'TIDEMARK_RESOURCE_TOKEN',
];

const precedence: readonly OriginKind[] = ['default', 'file', 'environment', 'flag'];

/** Throws a UsageError that names the place and what should stand there. */
export function readConfig(sources: ConfigSources): Config {
  const given = new Map<SettingName, { readonly text: string; readonly origin: Origin }>();
  const fromFile = sources.file ?? sources.environment['TIDEMARK_CONFIG'];
  for (const entry of fileEntries(fromFile)) given.set(entry.name, entry);
  for (const entry of variableEntries(sources.environment)) given.set(entry.name, entry);
  for (const name of settingNames) {
    const value = sources.flags[name];
    if (value === undefined || value === false) continue;
    given.set(name, { text: String(value), origin: { kind: 'flag', name: flagOf(name) } });
  }

  const values: Record<string, unknown> = {};
  const origins: Partial<Record<SettingName, Origin>> = {};
  for (const name of settingNames) {
    const entry = given.get(name);
    values[name] = entry === undefined ? settings[name].fallback : readSetting(name, entry.text, entry.origin.name);
    origins[name] = entry?.origin ?? { kind: 'default', name: 'default' };
  }
  // Every name has been set, by `readSetting` or from the table.
  const config = { settings: values as unknown as Settings, origins: origins as Record<SettingName, Origin> };
  return withOnePlace(checkPairs(config));
}

interface Entry {
  readonly name: SettingName;
  readonly text: string;
  readonly origin: Origin;
}

function readSetting(name: SettingName, text: string, where: string): unknown {
  const read = settings[name].read(text);
  if ('value' in read) return read.value;
  throw new UsageError(`${where} must be ${read.must}, not '${text}'.`);
}

function fileEntries(path: string | undefined): Entry[] {
  const file = path ?? defaultConfigFile;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // The file system throws nothing else.
    if (path === undefined && code === 'ENOENT') return [];
    throw new UsageError(code === 'ENOENT' ? `There is no config file ${file}.` : `The config file: ${message}`);
  }
  return Object.entries(readObject(text, file)).map(([key, value]) => {
    const name = settingNames.find((each) => each === key);
    if (name === undefined) throw new UsageError(unknownInFile(key, file));
    return { name, text: textOf(value, key, file), origin: { kind: 'file', name: `${key} in ${file}` } };
  });
}

function readObject(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The config file ${file} is not valid JSON: ${(error as Error).message}`); // JSON.parse throws Errors.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`The config file ${file} must hold a JSON object, such as {"port":8081}.`);
}

function unknownInFile(key: string, file: string): string {
  const secret = /key|secret|password/i.test(key) ? ' Keys stand in a file of their own (keyFile).' : '';
  return `There is no setting "${key}" (in ${file}).${suggestion(key, settingNames) || secret}`;
}

function textOf(value: unknown, key: string, file: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',');
  throw new UsageError(`"${key}" in ${file} must be a string, a number, true or false.`);
}

function variableEntries(environment: Readonly<Record<string, string | undefined>>): Entry[] {
  const entries: Entry[] = [];
  const variables = settingNames.map(variableOf);
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith('TIDEMARK_') || otherVariables.includes(variable)) continue;
    if (isOfKubernetes(variable, text)) continue;
    const name = settingNames.find((each) => variableOf(each) === variable);
    if (name === undefined) {
      const near = suggestion(variable, [...variables, ...otherVariables]);
      throw new UsageError(`There is no setting for the environment variable ${variable}.${near}`);
    }
    // An empty variable is how shells and compose files leave one out.
    if (text !== '') entries.push({ name, text, origin: { kind: 'environment', name: variable } });
  }
  return entries;
}

/** A cluster that has a service named "tidemark" gives every container variables of these forms. */
function isOfKubernetes(variable: string, text: string): boolean {
  return (
    /^TIDEMARK_(?:SERVICE_(?:HOST|PORT)|PORT_\d)/.test(variable) ||
    (variable === 'TIDEMARK_PORT' && /^\w+:\/\//.test(text))
  );
}

function checkPairs(config: Config): Config {
  const { certificate, certificateKey } = config.settings;
  if ((certificate === undefined) !== (certificateKey === undefined)) {
    throw new UsageError(
      '--certificate and --certificate-key come together: a certificate is nothing without its key.',
    );
  }
  return config;
}

/** A folder and memory exclude each other; of two places the one that counts more decides. */
function withOnePlace(config: Config): Config {
  const { data, memory } = config.origins;
  if (!config.settings.memory || data.kind === 'default') return config;
  if (data.kind === memory.kind) {
    throw new UsageError(`Give ${data.name} or ${memory.name}, not both: what is kept in memory has no folder.`);
  }
  if (precedence.indexOf(memory.kind) > precedence.indexOf(data.kind)) return config;
  return { ...config, settings: { ...config.settings, memory: false } };
}
