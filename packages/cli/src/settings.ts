// Every setting of the server, once: its name in a file, its flag, its environment variable, what it may be and what it means.
// The flags of `serve`, `tidemark config show` and docs/reference/cli.md come from here.
//
//   file          "httpsOnly": true
//   environment   TIDEMARK_HTTPS_ONLY=true
//   flag          --https-only

import { isIP } from 'node:net';
import type { ConsistencyLevel } from '@tidemark/model';
import { consistencyLevels, parseConsistencyLevel } from '@tidemark/model';

export interface Setting<T> {
  /** What stands behind the flag; a switch has none. */
  readonly argument?: string;
  readonly meaning: string;
  readonly fallback: T;
  /** How the fallback is shown, where it is not simply itself. */
  readonly fallbackText?: string;
  /** The value, or what it has to be instead: `a number from 0 to 65535`. */
  read(text: string): { readonly value: T } | { readonly must: string };
}

/** One validated object: what the server is started with. */
export interface Settings {
  readonly data: string;
  readonly memory: boolean;
  readonly port: number;
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly httpsOnly: boolean;
  readonly certificate: string | undefined;
  readonly certificateKey: string | undefined;
  readonly legacyTls: boolean;
  readonly keyFile: string | undefined;
  readonly insecureDefaultKey: boolean;
  readonly corsOrigin: readonly string[];
  readonly consistency: ConsistencyLevel;
  /** In milliseconds. */
  readonly history: number;
  readonly planQueries: boolean;
  readonly throttle: boolean;
  readonly backupFolder: string | undefined;
  readonly chaos: boolean;
  readonly logLevel: LogLevel;
}

export type SettingName = keyof Settings;

export const settings: { readonly [N in SettingName]: Setting<Settings[N]> } = {
  data: {
    argument: 'DIR',
    meaning: 'where the data is kept',
    fallback: './tidemark-data',
    read: readText,
  },
  memory: readSwitch('keep nothing: the data is gone when it stops'),
  port: {
    argument: 'N',
    meaning: 'where to listen; 0 takes any port that is free',
    fallback: 8081,
    read: readPort,
  },
  host: {
    argument: 'H',
    meaning: 'the address of this machine to listen on; beyond loopback it needs a key of its own',
    fallback: '127.0.0.1',
    read: readHost,
  },
  publicUrl: {
    argument: 'URL',
    meaning: 'what clients are told instead of the address they used: for proxies and containers',
    fallback: undefined,
    fallbackText: 'the address the client used',
    read: readUrl,
  },
  httpsOnly: readSwitch('answer nothing over plain HTTP'),
  certificate: optionalPath('FILE', 'a certificate of your own, in PEM, with its chain', 'one of a local authority'),
  certificateKey: optionalPath('FILE', 'the key of that certificate, in PEM', ''),
  legacyTls: readSwitch('accept TLS 1.0 as well, for documentdb 1.x; it protects little'),
  keyFile: optionalPath('FILE', 'a JSON file with the keys, read again on SIGHUP', 'the emulator’s well-known key'),
  insecureDefaultKey: readSwitch(
    'allow the well-known key beyond loopback: whoever reaches the port may do everything',
  ),
  corsOrigin: {
    argument: 'ORIGINS',
    meaning: 'web pages of these origins may call it: https://a.example,https://b.example, or *',
    fallback: [],
    fallbackText: 'none',
    read: readOrigins,
  },
  history: {
    argument: 'DURATION',
    meaning: 'keep every version of this long in containers that say nothing else: 90s, 15m, 24h, 7d',
    fallback: 0,
    fallbackText: 'none',
    read: readDuration,
  },
  consistency: {
    argument: 'LEVEL',
    meaning:
      'the account’s default: Strong, BoundedStaleness, Session, ConsistentPrefix or Eventual; a request may ask for a weaker one',
    fallback: 'Session',
    read: readConsistency,
  },
  planQueries: readSwitch(
    'answer cross-partition queries that clients can put together with their plan, as Azure does',
  ),
  throttle: readSwitch('answer 429 when a container’s throughput is used up'),
  backupFolder: optionalPath('DIR', 'where backups go that are asked for over the network', 'none can be asked for'),
  chaos: readSwitch('let the admin API inject faults: 429, 503, latency and so on, for tests'),
  logLevel: {
    argument: 'LEVEL',
    meaning: 'how much goes to the log: silent, error, warn, info or debug',
    fallback: 'warn',
    read: readLogLevel,
  },
};

export const settingNames: readonly SettingName[] = Object.freeze(Object.keys(settings) as SettingName[]);

type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
const logLevels: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

/** `httpsOnly` → `--https-only`. */
export function flagOf(name: string): string {
  return `--${kebab(name)}`;
}

/** `httpsOnly` → `TIDEMARK_HTTPS_ONLY`. */
export function variableOf(name: string): string {
  return `TIDEMARK_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
}

type Read<T> = { readonly value: T } | { readonly must: string };

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readSwitch(meaning: string): Setting<boolean> {
  const read = (text: string): Read<boolean> =>
    text === 'true' || text === 'false' ? { value: text === 'true' } : { must: 'true or false' };
  return { meaning, fallback: false, read };
}

function optionalPath(argument: string, meaning: string, fallbackText: string): Setting<string | undefined> {
  return { argument, meaning, fallback: undefined, fallbackText, read: readText };
}

function readText(text: string): Read<string> {
  return text.trim() === '' ? { must: 'something, not nothing' } : { value: text };
}

const portMax = 65_535;

function readPort(text: string): Read<number> {
  const value = Number(text);
  const isPort = /^\d+$/.test(text) && value <= portMax;
  return isPort ? { value } : { must: `a number from 0 to ${portMax}` };
}

function readHost(text: string): Read<string> {
  const isName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text);
  return isName || isIP(text) !== 0 ? { value: text } : { must: 'an address or a host name, such as 127.0.0.1 or ::1' };
}

function readUrl(text: string): Read<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isPlain || url.username !== '' || url.hash !== '') return { must: 'a URL such as https://db.example:8081' };
  return { value: url.origin };
}

function readOrigins(text: string): Read<readonly string[]> {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  const isOrigin = (origin: string): boolean =>
    origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin);
  return origins.length > 0 && origins.every(isOrigin)
    ? { value: origins }
    : { must: 'origins such as https://app.example, with a comma between them, or *' };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds. */
function readDuration(text: string): Read<number> {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? Number.NaN);
  return digits !== '' && Number.isSafeInteger(ms) ? { value: ms } : { must: 'a duration such as 90s, 15m, 24h or 7d' };
}

function readConsistency(text: string): Read<ConsistencyLevel> {
  const level = parseConsistencyLevel(text);
  return level === undefined ? { must: `one of ${consistencyLevels.join(', ')}` } : { value: level };
}

function readLogLevel(text: string): Read<LogLevel> {
  const level = logLevels.find((each) => each === text);
  return level === undefined ? { must: `one of ${logLevels.join(', ')}` } : { value: level };
}
