// `tidemark serve`: settings in, one ready line out, and an orderly end on a signal.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { DatabaseError } from '@tidemark/model';
import type { KeySet, RunningServer, ServerOptions } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import type { Call } from '../call.ts';
import { textOption } from '../call.ts';
import type { Config } from '../config.ts';
import { readConfig } from '../config.ts';
import { checkFirst } from '../first-checks.ts';
import type { KeySource } from '../keys.ts';
import { readKeys } from '../keys.ts';
import { stopMsMax } from '../limits.ts';
import { backupRefusal } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { packageFolder } from '../package-folder.ts';
import type { Settings } from '../settings.ts';
import { explainStart } from '../start-failure.ts';
import { quoted, say } from '../terminal.ts';
import { tlsFolderOf } from '../tls-folder.ts';
import { welcomeText } from '../welcome.ts';

/** A terminal's Ctrl-C reaches npm and the server, so that one keystroke may come twice. */
const doubledSignalMs = 1_000;

export async function run(call: Call): Promise<number> {
  const config = readConfig({ flags: call.options, environment: process.env, file: textOption(call, 'config') });
  const keys = readKeys(config.settings.keyFile, process.env);
  if (keys.warning !== undefined) say(keys.warning);
  return serve(config, keys);
}

async function serve(config: Config, keys: KeySource): Promise<number> {
  const { settings } = config;
  const folder = settings.memory ? undefined : resolve(settings.data);
  let database: Database | undefined;
  try {
    const refusal = folder === undefined ? undefined : await backupRefusal(settings.data, ownCommand(process.env));
    if (refusal !== undefined) throw new DatabaseError('folder-foreign', refusal);
    const options = serverOptions(config, keys.keys, folder);
    await checkFirst(options, keys.isWellKnown);
    const onRebuildProgress = sayProgress();
    database = await openDatabase(folder === undefined ? { memory: true } : { folder, onRebuildProgress });
    const server = await startServer({ database, ...options });
    stopOnSignal(server, database);
    readKeysOnSignal(server, settings.keyFile);
    const { url, port } = server;
    // Who sees the welcome needs no line for programs above it.
    const isForPeople = process.stdout.isTTY && process.stderr.isTTY;
    if (!isForPeople) process.stdout.write(`${JSON.stringify({ ready: true, url, port, pid: process.pid })}\n`);
    welcome(settings, keys, server, folder);
    return 0;
  } catch (error) {
    say(explainStart(error, settings, ownCommand(process.env)));
    await database?.close();
    return 1;
  }
}

function serverOptions({ settings, origins }: Config, keys: KeySet, folder: string | undefined): ServerOptions {
  const { host, port, httpsOnly, legacyTls, insecureDefaultKey, chaos, throttle, publicUrl, backupFolder } = settings;
  const { certificate, certificateKey, consistency, planQueries, logLevel } = settings;
  return {
    host,
    port,
    keys,
    insecureDefaultKey,
    httpsOnly,
    legacyTls,
    chaos,
    throttle,
    consistency,
    planQueries,
    logLevel,
    corsOrigin: settings.corsOrigin,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(backupFolder === undefined ? {} : { backupFolder: resolve(backupFolder) }),
    ...(certificate === undefined || certificateKey === undefined
      ? {}
      : { certificate: readPem(certificate), certificateKey: readPem(certificateKey) }),
    ...(folder === undefined ? {} : { tlsFolder: tlsFolderOf(folder) }),
    // Said or not: without a word containers keep what they were told before.
    ...(origins.history.kind === 'default' ? {} : { historyMs: settings.history }),
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new DatabaseError('bad-request', `The certificate cannot be read: ${(error as Error).message}`); // An Error of the file system.
  }
}

function welcome(settings: Settings, keys: KeySource, { url, port }: RunningServer, folder: string | undefined): void {
  if (settings.legacyTls) say('--legacy-tls: TLS 1.0 is broken; whoever is between client and server can read along.');
  if (keys.isWellKnown && settings.insecureDefaultKey) {
    say('--insecure-default-key: everybody knows this key; whoever reaches the port may do everything.');
  }
  const { isWellKnown: isWellKnownKey, origin: keyOrigin } = keys;
  const kept =
    folder === undefined
      ? 'on the same port, with a certificate of this run'
      : `on the same port; see ${certCommand(settings, port)}`;
  const authority = settings.certificate === undefined ? kept : undefined;
  const shownUrl = settings.publicUrl ?? url;
  process.stderr.write(welcomeText({ url: shownUrl, folder, isWellKnownKey, keyOrigin, authority, docs: docsPath() }));
}

/** With the flags that it takes to find this server, whatever settings there are when it is typed. */
function certCommand({ data }: Settings, port: number): string {
  return `${ownCommand(process.env)} cert --data ${quoted(data)} --port ${port}`;
}

/** A key file that was exchanged counts from the next request on; one that is wrong changes nothing. */
function readKeysOnSignal(server: RunningServer, keyFile: string | undefined): void {
  process.on('SIGHUP', () => {
    if (keyFile === undefined) {
      say('SIGHUP: there is no key file to read again.');
      return;
    }
    try {
      const { keys, warning } = readKeys(keyFile, process.env);
      if (warning !== undefined) say(warning);
      server.setKeys(keys);
      say(`SIGHUP: the keys of ${keyFile} count from now on.`);
    } catch (error) {
      say(`SIGHUP: the keys stay as they are. ${(error as Error).message}`); // UsageErrors and DatabaseErrors.
    }
  });
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
    setTimeout(() => {
      say('It takes too long: ending now. Nothing that was acknowledged is lost.');
      process.exit(1);
    }, stopMsMax).unref();
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

function docsPath(): string {
  const path = fileURLToPath(new URL('../../docs/README.md', packageFolder));
  // Installed from a package, the command has no repository around it.
  return existsSync(path) ? path : `docs/README.md of the repository; ${ownCommand(process.env)} --help`;
}
