// The log of a server: lines of JSON, one for each thing worth telling. What a request is about is told by its operation, its
// database and its container. Ids of documents, keys, tokens, headers, queries, bodies and the messages of errors that are
// a client's own never get here: they may hold what is nobody else's business.

import type { ResourceKind } from '@tidemark/model';
import { DatabaseError, header, isDatabaseError, kindsInContainers } from '@tidemark/model';
import type { DestinationStream, Logger, pino } from 'pino';
import type { Exchange } from './exchange.ts';
import { adminOperation } from './exchange.ts';
import { headerIn } from './header-list.ts';
import { logBytesMax, logWarningsPerSecondMax } from './limits.ts';
import type { CosmosResponse } from './response.ts';

/** From the one that tells most; each also tells what those after it do. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogStream {
  write(line: string): unknown;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Standard error when absent. */
  readonly stream?: LogStream | undefined;
  /** A request that takes longer is told of as a warning. */
  readonly slowMs: number;
  /** A time that never jumps; for tests. */
  readonly nowMs?: () => number;
}

/** What writes it is loaded later where nothing but trouble is told: there may never be any. */
export async function openLog(options: LogOptions): Promise<Log> {
  if (!logLevels.includes(options.level)) {
    throw new DatabaseError('bad-request', `The log level is one of ${logLevels.join(', ')}, not '${options.level}'.`);
  }
  const log = new Log(options);
  if (options.level === 'debug' || options.level === 'info') await log.load();
  return log;
}

/** A log that cannot be written, on a full disk say, must neither end the server nor pile up in it. */
function standardError({ destination }: typeof pino): DestinationStream {
  const stream = destination({ dest: 2, sync: true, maxLength: logBytesMax });
  stream.on('error', () => {});
  return stream;
}

type Line = readonly [level: Exclude<LogLevel, 'silent'>, facts: Readonly<Record<string, unknown>>, message: string];

export class Log {
  readonly #options: LogOptions;
  readonly #slowMs: number;
  readonly #level: number;
  readonly #nowMs: () => number;
  #logger: Logger | undefined;
  /** Told before there was a logger. */
  #held: Line[] = [];
  /** Warnings about requests in the second that began then, and those that there were too many of. */
  #secondMs = Number.NEGATIVE_INFINITY;
  #warnings = 0;
  #omitted = 0;

  constructor(options: LogOptions) {
    const { level, slowMs, nowMs = () => performance.now() } = options;
    this.#options = options;
    this.#level = logLevels.indexOf(level);
    this.#slowMs = slowMs;
    this.#nowMs = nowMs;
  }

  /** Loads what writes it, and writes what has been told so far. */
  async load(): Promise<void> {
    const { level, stream } = this.#options;
    if (level === 'silent' || this.#logger !== undefined) return;
    const { pino } = await import('pino');
    const settings = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
    this.#logger = pino(settings, stream ?? standardError(pino));
    for (const line of this.#held) this.#tell(...line);
    this.#held = [];
  }

  /** Of most requests nothing is told but at level debug. */
  answered(exchange: Exchange, response: CosmosResponse, durationMs: number): void {
    const isSlow = durationMs >= this.#slowMs && exchange.operation !== 'feed';
    const isFailure = isFailureOf(exchange.operation, response.status);
    const isWarning = isSlow || isFailure;
    if (!this.#tells(isWarning ? 'warn' : 'debug')) return;
    // A disk that is full fails every write: the log must not fill with it, nor the server wait for its log.
    if (isWarning && !this.#tells('debug') && !this.#hasRoom()) return;
    const omitted = isWarning ? this.#omitted : 0;
    if (isWarning) this.#omitted = 0;
    const { status, charge, headers } = response;
    const { activityId, operation, path } = exchange;
    const substatus = headerIn(headers, header.substatus);
    const fault = headerIn(headers, header.fault);
    const ms = Math.round(durationMs * 1000) / 1000;
    const line = {
      activityId,
      operation,
      ...placeOf(path?.kind, path?.ids),
      status,
      ...(substatus === undefined ? {} : { substatus: Number(substatus) }),
      ...(fault === undefined ? {} : { fault }),
      charge,
      ms,
      ...(omitted === 0 ? {} : { omitted }),
    };
    if (isFailure) this.#tell('warn', line, 'request failed');
    else if (isSlow) this.#tell('warn', line, 'slow request');
    else this.#tell('debug', line, 'request');
  }

  #hasRoom(): boolean {
    const nowMs = this.#nowMs();
    if (nowMs - this.#secondMs >= 1_000) {
      this.#secondMs = nowMs;
      this.#warnings = 0;
    }
    this.#warnings += 1;
    if (this.#warnings <= logWarningsPerSecondMax) return true;
    this.#omitted += 1;
    return false;
  }

  unanswered({ activityId, operation, path }: Exchange, durationMs: number): void {
    if (!this.#tells('debug')) return;
    const ms = Math.round(durationMs * 1000) / 1000;
    this.#tell('debug', { activityId, operation, ...placeOf(path?.kind, path?.ids), ms }, 'client went away');
  }

  defect(error: unknown, activityId: string): void {
    this.#tell('error', { activityId, error: described(error) }, 'defect');
  }

  /** Of the engine, when it changes. */
  health(status: string, message: string | undefined): void {
    if (status === 'ok') this.#tell('info', { health: status }, 'healthy again');
    else this.#tell('error', { health: status, reason: message }, 'degraded');
  }

  info(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#tell('info', facts, message);
  }

  warn(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#tell('warn', facts, message);
  }

  #tells(level: Line[0]): boolean {
    return logLevels.indexOf(level) >= this.#level;
  }

  #tell(...line: Line): void {
    const [level, facts, message] = line;
    if (!this.#tells(level)) return;
    if (this.#logger !== undefined) this.#logger[level](facts, message);
    else if (this.#held.length < logWarningsPerSecondMax) this.#held.push(line);
  }
}

/** What is not built, and a health that is asked for and told, are no failures. */
function isFailureOf(operation: string, status: number): boolean {
  return status >= 500 && status !== 501 && !(operation === adminOperation && status === 503);
}

function placeOf(kind: ResourceKind | undefined, ids: readonly string[] | undefined): Record<string, string> {
  const place: Record<string, string> = {};
  if (kind === undefined || ids === undefined || kind === 'offer' || kind === 'media' || kind === 'address')
    return place;
  const [database, container] = ids;
  if (database !== undefined) place['database'] = cut(database);
  // Below a database there are users as well, and their names are their own business.
  if (container !== undefined && kindsInContainers.has(kind)) place['container'] = cut(container);
  return place;
}

/** As long as an id may be; what is longer is no id. Nor has one a `?`: that is a query that was encoded too often. */
function cut(id: string): string {
  const question = id.indexOf('?');
  return id.slice(0, Math.min(255, question === -1 ? id.length : question));
}

/** Errors of JSON quote what they could not read, so of those only the place is told. */
function described(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error };
  const { name, message, stack = '', cause } = error;
  const frames = stack.slice(Math.max(0, stack.indexOf('\n    at '))).trim();
  return {
    name,
    ...(isDatabaseError(error) ? { code: error.code } : {}),
    ...(error instanceof SyntaxError ? {} : { message }),
    stack: frames,
    ...(cause === undefined || depth === causesMax ? {} : { cause: described(cause, depth + 1) }),
  };
}

const causesMax = 4;
