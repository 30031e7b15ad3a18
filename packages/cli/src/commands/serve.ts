// `tidemark serve`: settings in, one ready line out, and an orderly end on a signal.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import type { Call } from '../call.ts';
import { textOption } from '../call.ts';
import type { Config } from '../config.ts';
import { checkSwallowedFlags, readConfig } from '../config.ts';
import type { KeySource } from '../keys.ts';
import { readKeys } from '../keys.ts';
import { firstMissing, removeFolder } from '../new-folder.ts';
import type { SettingName } from '../settings.ts';
import { explainStart } from '../start-failure.ts';
import { say } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { welcomeText } from '../welcome.ts';

/** A terminal's Ctrl-C reaches npm and the server, so that one keystroke may come twice. */
const doubledSignalMs = 1_000;

/** What the server cannot do yet: asked for, it is an error and not a silence. */
const missingSettings: readonly SettingName[] = [
  'publicUrl',
  'httpsOnly',
  'certificate',
  'certificateKey',
  'legacyTls',
  'insecureDefaultKey',
  'corsOrigin',
  'throttle',
  'logLevel',
];

export async function run(call: Call): Promise<number> {
  checkSwallowedFlags(process.env);
  const config = readConfig({ flags: call.options, environment: process.env, file: textOption(call, 'config') });
  checkAvailable(config);
  const keys = readKeys(config.settings.keyFile, process.env);
  if (keys.warning !== undefined) say(keys.warning);
  return serve(config, keys);
}

function checkAvailable({ settings, origins }: Config): void {
  for (const name of missingSettings) {
    const isAsked = origins[name].kind !== 'default' && settings[name] !== false;
    if (isAsked) throw new UsageError(`${origins[name].name} is not there yet.`);
  }
}

async function serve({ settings, origins }: Config, keys: KeySource): Promise<number> {
  const folder = settings.memory ? undefined : resolve(settings.data);
  const made = folder === undefined ? undefined : await firstMissing(folder);
  let database: Database | undefined;
  try {
    database = await openDatabase(
      folder === undefined ? { memory: true } : { folder, onRebuildProgress: sayProgress() },
    );
    const { host, port, backupFolder, chaos, history } = settings;
    const server = await startServer({
      database,
      host,
      port,
      key: keys.keys.primary,
      ...(backupFolder === undefined ? {} : { backupFolder: resolve(backupFolder) }),
      ...(origins.history.kind === 'default' ? {} : { historyMs: history }),
      chaos,
      onDefect: sayDefect,
    });
    stopOnSignal(server, database);
    process.stdout.write(`${JSON.stringify({ ready: true, url: server.url, port: server.port, pid: process.pid })}\n`);
    const { isWellKnown: isWellKnownKey, origin: keyOrigin } = keys;
    process.stderr.write(welcomeText({ url: server.url, folder, isWellKnownKey, keyOrigin, docs: docsPath() }));
    return 0;
  } catch (error) {
    say(explainStart(error, settings));
    await database?.close();
    // Only what this process has made and holds the lock of: a folder that could not be opened is somebody's.
    if (database !== undefined && made !== undefined) await removeFolder(made);
    return 1;
  }
}

function stopOnSignal(server: RunningServer, database: Database): void {
  let stoppingSinceMs: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (stoppingSinceMs !== undefined) {
      if (now - stoppingSinceMs > doubledSignalMs) process.exit(1);
      return;
    }
    stoppingSinceMs = now;
    say(`${signal}: answering what is under way, then stopping.`);
    close(server, database).then(
      () => process.exit(0),
      (error: unknown) => {
        say(`stopping failed: ${String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function close(server: RunningServer, database: Database): Promise<void> {
  await server.close();
  await database.close();
}

/** Rebuilding an index may take a while; silence would look like a hang. */
function sayProgress(): (fraction: number) => void {
  let said = -1;
  return (fraction) => {
    const tenth = Math.floor(fraction * 10);
    if (tenth === said) return;
    said = tenth;
    say(`rebuilding the index, ${tenth * 10} %`);
  };
}

function sayDefect(error: unknown, activityId: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say(`request ${activityId} failed: ${text}`);
}

function docsPath(): string {
  return fileURLToPath(new URL('../../../../docs/README.md', import.meta.url));
}
