// The server: sockets in front of a database. What becomes of a request is the pipeline's.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { ConsistencyLevel } from '@tidemark/model';
import { consistencyLevels, DatabaseError } from '@tidemark/model';
import { Cors } from './cors.ts';
import { hostOfUrl, readPublicUrl } from './endpoint.ts';
import { Identity } from './identity.ts';
import type { BodyLimits } from './incoming-bodies.ts';
import { IncomingBodies } from './incoming-bodies.ts';
import type { KeySet } from './keys.ts';
import { Keys, wellKnownKey } from './keys.ts';
import { slowRequestMs } from './limits.ts';
import type { ListenerFigures, ListenerLimits } from './listener.ts';
import { Listener } from './listener.ts';
import type { Log, LogLevel, LogStream } from './log.ts';
import { openLog } from './log.ts';
import { Pipeline } from './pipeline.ts';
import { ResourceTokens } from './resource-token.ts';
import type { UnsentLimits } from './unsent.ts';
import { UnsentAnswers } from './unsent.ts';
import { version } from './version.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface ServerOptions {
  /** A database that is open already, and stays open when the server is closed. This, `memory` or `data` has to be given. */
  readonly database?: Database;
  /** A database of the server's own that keeps nothing. */
  readonly memory?: boolean;
  /** A database of the server's own in this folder. */
  readonly data?: string;
  /** An address of this machine; 127.0.0.1 by default. Others only with a key of one's own. */
  readonly host?: string;
  /** 0 takes any that is free. */
  readonly port?: number;
  /** The primary key, in base64; the emulator's well-known key by default. */
  readonly key?: string;
  /** All keys of the account; instead of `key`. */
  readonly keys?: KeySet;
  /** Allows the well-known key on other addresses, too: whoever reaches the port may then do everything. */
  readonly insecureDefaultKey?: boolean;
  /** Refuses plain HTTP. */
  readonly httpsOnly?: boolean;
  /** Lets clients in that know nothing newer than TLS 1.0. It is broken; for old programs on one's own machine. */
  readonly legacyTls?: boolean;
  /** A certificate of one's own and its key, PEM. Without them a local authority makes one. */
  readonly certificate?: string;
  readonly certificateKey?: string;
  /** Where the local authority is kept: `tls` in the folder of the database by default, nowhere without one. */
  readonly tlsFolder?: string;
  /** Where clients reach the server, if that is not where they say they do: behind a proxy. */
  readonly publicUrl?: string;
  /** The account's default consistency; a request may ask for it or for a weaker one. `Session` by default. */
  readonly consistency?: ConsistencyLevel;
  /**
   * Cross-partition queries that sort, group, count or cut are answered with their plan (400, 1004), as the service does, so that clients
   * put the rows together. Without it the server does.
   */
  readonly planQueries?: boolean;
  /** Where backups that the admin API is asked for go, each in a folder of its own. None can be made without it. */
  readonly backupFolder?: string;
  /** How long containers without a policy of their own keep all versions, those that are there too; see `keepHistory`. */
  readonly historyMs?: number;
  /** Web pages of these origins may use the server from a browser: `https://app.example`, several of them, or `*`. None by default. */
  readonly corsOrigin?: string | readonly string[];
  /** Lets the admin API make requests fail on demand. For tests of what talks to the server. */
  readonly chaos?: boolean;
  /** Whether requests beyond the provisioned throughput are refused with 429; off by default. A clock in milliseconds, for tests. */
  readonly throttle?: boolean | (() => number);
  /** What is told, as lines of JSON on standard error or to `logStream`. Nothing by default. */
  readonly logLevel?: LogLevel;
  readonly logStream?: LogStream;
  /** Told of every error that is a defect, not a client's. */
  readonly onDefect?: (error: unknown, activityId: string) => void;
  /** The clock that signatures and tokens are judged by; for tests. */
  readonly nowMs?: () => number;
  /** Instead of those in limits.ts. */
  readonly limits?: Partial<ConnectionLimits>;
}

export interface ConnectionLimits extends ListenerLimits, UnsentLimits, BodyLimits {}

export interface RunningServer extends AsyncDisposable {
  /** Without a slash at its end. The same port speaks HTTPS. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly connectionString: string;
  /** The certificate that a client of HTTPS has to trust, PEM. Undefined with a certificate of one's own. */
  readonly ca: string | undefined;
  /** Takes no more requests, answers those under way, and resolves when all connections are closed. */
  close(): Promise<void>;
  /** Takes these keys in the place of the ones it has, from the next request on. Throws bad-request, and keeps the old ones. */
  setKeys(keys: KeySet): void;
  /** Ends every resource token that has been issued, also by an earlier start on the same data. */
  revokeTokens(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0, publicUrl } = options;
  const keys = keysOf(options);
  const exposedHost = options.insecureDefaultKey === true ? undefined : host;
  checkExposure(keys, exposedHost);
  if (options.backupFolder !== undefined) await checkBackupFolder(options.backupFolder);
  checkLevel(options);
  const cors = corsOf(options);
  const publicEndpoint = publicUrl === undefined ? undefined : readPublicUrl(publicUrl);
  const identity = identityOf(options, host, publicEndpoint);
  const { logLevel: level = 'silent', logStream: stream } = options;
  const log = await openLog({ level, stream, slowMs: slowRequestMs });
  const database = options.database ?? (await openOwn(options));
  const tokens = new ResourceTokens(database, options.nowMs ?? Date.now);
  const front = new Front(options, { database, identity, keys, tokens, log, publicUrl: publicEndpoint, cors });
  let bound: number;
  try {
    if (options.historyMs !== undefined) await database.keepHistory(options.historyMs);
    bound = await front.listener.listen(host, port);
  } catch (error) {
    await front.close();
    throw error;
  }
  const url = `${options.httpsOnly === true ? 'https' : 'http'}://${reachableName(host)}:${bound}`;
  log.info('started', { url, version });
  // Not before: a client can be served without.
  void log.load();
  const close = (): Promise<void> => front.close();
  return {
    url,
    host,
    port: bound,
    connectionString: `AccountEndpoint=${url}/;AccountKey=${options.keys?.primary ?? options.key ?? wellKnownKey};`,
    get ca() {
      return identity.authorityPem;
    },
    close,
    setKeys: (set) => {
      checkExposure(new Keys(set), exposedHost);
      keys.set(set);
    },
    revokeTokens: () => tokens.rotate(),
    [Symbol.asyncDispose]: close,
  };
}

/** It is made with the first backup, which is too late to hear that it cannot be. Throws bad-request. */
export async function checkBackupFolder(folder: string): Promise<void> {
  let isFile: boolean;
  try {
    isFile = !(await stat(folder)).isDirectory();
  } catch (error) {
    isFile = (error as NodeJS.ErrnoException).code === 'ENOTDIR'; // The file system throws nothing else.
  }
  if (!isFile) return;
  const message = `The folder for backups, ${folder}, cannot be a folder: it, or something above it, is a file. Choose another folder.`;
  throw new DatabaseError('bad-request', message);
}

function keysOf({ key, keys }: ServerOptions): Keys {
  if (key !== undefined && keys !== undefined) throw new DatabaseError('bad-request', 'Give a key or keys, not both.');
  return new Keys(keys ?? { primary: key ?? wellKnownKey });
}

/** No host: it was allowed in so many words. */
function checkExposure(keys: Keys, host: string | undefined): void {
  if (!keys.hasWellKnown || host === undefined || isLoopback(host)) return;
  throw new DatabaseError(
    'forbidden',
    `With the well-known key the server listens on this machine only (127.0.0.1, ::1 or localhost), not on ${host}.`,
  );
}

/** For callers without types. */
function checkLevel({ consistency }: ServerOptions): void {
  if (consistency === undefined || consistencyLevels.includes(consistency)) return;
  const levels = consistencyLevels.join(', ');
  throw new DatabaseError('bad-request', `The consistency is one of ${levels}, not '${String(consistency)}'.`);
}

interface Parts {
  readonly database: Database;
  readonly identity: Identity;
  readonly keys: Keys;
  readonly tokens: ResourceTokens;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  readonly cors: Cors | undefined;
}

class Front {
  readonly listener: Listener;
  readonly #pipeline: Pipeline;
  readonly #room = new WaitingRoom();
  readonly #log: Log;
  /** Undefined if somebody else closes it. */
  readonly #ownDatabase: Database | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions, { database, identity, keys, tokens, log, publicUrl, cors }: Parts) {
    const { backupFolder, chaos = false, throttle = false, onDefect, insecureDefaultKey = false } = options;
    const { httpsOnly = false, limits, nowMs = Date.now, consistency = 'Session' } = options;
    const throttleClock = throttle === true ? () => performance.now() : throttle === false ? undefined : throttle;
    const room = this.#room;
    const unsent = new UnsentAnswers(limits);
    const bodies = new IncomingBodies(limits);
    const connections = (): ListenerFigures => this.listener.figures();
    const shared = {
      database,
      keys,
      tokens,
      nowMs,
      publicUrl,
      consistency,
      plansFirst: options.planQueries ?? false,
      cors,
      room,
      unsent,
      bodies,
      log,
      connections,
    };
    const pipeline = new Pipeline({ ...shared, backupFolder, chaos, throttleClock, onDefect, insecureDefaultKey });
    this.#pipeline = pipeline;
    this.#log = log;
    this.#ownDatabase = options.database === undefined ? database : undefined;
    this.listener = new Listener({
      answer: (incoming, outgoing) => pipeline.answer(incoming, outgoing),
      identity: () => identity.current(),
      isHttpsOnly: httpsOnly,
      limits,
      onDefect: (error) => pipeline.failed(error, 'the TLS handshake'),
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#room.close();
    await Promise.all([this.listener.close(), this.#pipeline.close()]);
    await this.#ownDatabase?.close();
    this.#log.info('stopped');
  }
}

function openOwn({ memory, data }: ServerOptions): Promise<Database> {
  if ((memory === true) === (data !== undefined)) {
    const message = 'Give one of them: an open database, memory: true, or data, the folder where it is kept.';
    throw new DatabaseError('bad-request', message);
  }
  return openDatabase(data === undefined ? { memory: true } : { folder: data });
}

function corsOf({ corsOrigin = [] }: ServerOptions): Cors | undefined {
  const origins = typeof corsOrigin === 'string' ? [corsOrigin] : corsOrigin;
  return origins.length === 0 ? undefined : new Cors(origins);
}

function identityOf(options: ServerOptions, host: string, publicUrl: string | undefined): Identity {
  const { certificate, certificateKey, legacyTls, data } = options;
  const folder = data ?? options.database?.folder;
  const tlsFolder = options.tlsFolder ?? (folder === undefined ? undefined : join(folder, 'tls'));
  const hosts = publicUrl === undefined ? [host] : [host, hostOfUrl(publicUrl)];
  return new Identity({ certificate, certificateKey, legacyTls, tlsFolder, hosts });
}

/** As it stands in a URL. Every address of this machine is no address. */
function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
