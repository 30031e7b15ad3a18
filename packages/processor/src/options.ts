// The options of a processor, and how they become settings. Units, defaults and meanings are in option-table.ts.

import { nearestName } from '@tidemark/model';
import type { SourceInput, StoreInput } from './connect.ts';
import type { Environment } from './environment.ts';
import type { FailureAction, FailurePolicy, RetryPolicy } from './failure-policy.ts';
import { defaultFailurePolicy } from './failure-policy.ts';
import type { ChangedDocument, VersionChange } from './feed/change.ts';
import type { FeedMode, FeedStart } from './feed/feed-source.ts';
import type { Logger } from './logger.ts';
import type { Handler, Observer } from './observer.ts';
import type { NumberOption, NumberOptionName } from './option-table.ts';
import { numberOptions, otherOptions } from './option-table.ts';
import { ProcessorError } from './processor-error.ts';
import type { StandardSchema } from './pump/schema.ts';
import type { CheckpointStrategy, ProcessorSettings } from './settings.ts';
import type { EventCallback } from './telemetry.ts';

export type CheckpointOption =
  | 'every-batch'
  | 'manual'
  | { readonly items: number }
  | { readonly intervalMs: number }
  /** `isCumulative`: one `context.checkpoint()` counts for all batches before it too, as with hosts of .NET. */
  | { readonly manual: true; readonly isCumulative?: boolean };

export interface CommonOptions extends Partial<Readonly<Record<NumberOptionName, number>>> {
  readonly source: SourceInput;
  readonly leases: StoreInput;
  readonly name: string;
  readonly instance?: string | undefined;
  readonly start?: FeedStart | undefined;
  readonly checkpoint?: CheckpointOption | undefined;
  readonly onFailure?: FailureAction | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly bisect?: boolean | undefined;
  readonly classify?: FailurePolicy['classify'];
  readonly deadLetters?: StoreInput | undefined;
  readonly purpose?: string | undefined;
  readonly onPositionRefused?: ProcessorSettings['onPositionRefused'] | undefined;
  readonly logger?: Logger | false | undefined;
  readonly onEvent?: EventCallback | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sessionToken?: string | undefined;
  /** Time, chance and network, for tests. */
  readonly environment?: Environment | undefined;
}

type Handled<Change> = { readonly handler: Handler<Change> } | { readonly observer: Observer<Change> };

export type LatestOptions<T> = CommonOptions & {
  readonly mode?: 'latest' | undefined;
  readonly schema?: StandardSchema<T> | undefined;
} & Handled<ChangedDocument<T>>;

export type VersionsOptions<T> = CommonOptions & {
  readonly mode: 'all-versions';
  readonly schema?: StandardSchema<T> | undefined;
} & Handled<VersionChange<T>>;

export type ProcessorOptions<T> = LatestOptions<T> | VersionsOptions<T>;

/** What of the options is plain choice. `instance` is that of the options, or the one that was made up for this process. */
export function settingsOf(
  options: CommonOptions & { readonly mode?: FeedMode | undefined },
  instance: string,
): ProcessorSettings {
  checkNames(options);
  const number = (name: NumberOptionName): number => readNumber(name, options[name]);
  const expirationMs = number('leaseExpirationMs');
  const settings: ProcessorSettings = {
    name: checkName('name', options.name),
    instance: checkName('instance', instance),
    mode: oneOf('mode', options.mode ?? 'latest', ['latest', 'all-versions']),
    start: readStart(options.start ?? 'now'),
    purpose: options.purpose,
    lease: {
      renewMs: number('leaseRenewMs'),
      acquireMs: number('leaseAcquireMs'),
      expirationMs,
      fenceMarginMs: readNumber('fenceMarginMs', options.fenceMarginMs ?? Math.max(1, Math.round(expirationMs / 6))),
      handoffMs: number('handoffMs'),
      joinMs: number('joinMs'),
      rangesMin: number('rangesMin'),
      rangesMax: number('rangesMax'),
      capacity: number('capacity'),
      auditLooks: number('auditLooks'),
    },
    pump: {
      itemsMax: number('itemsMax') || undefined,
      pollMs: number('pollMs'),
      pollMsMin: Math.min(number('pollMsMin'), number('pollMs')),
      waitMs: number('waitMs'),
      checkpoint: readCheckpoint(options.checkpoint ?? 'every-batch'),
      idleCheckpointMs: number('idleCheckpointMs'),
      lanes: number('lanes'),
      readAheadPages: number('readAheadPages'),
      readAheadBytes: number('readAheadBytes'),
      failure: readFailure(options),
      handlerWarnMs: number('handlerWarnMs'),
      handlerMsMax: number('handlerMsMax'),
      stallMs: number('stallMs'),
    },
    onPositionRefused: oneOf('onPositionRefused', options.onPositionRefused ?? 'fail', [
      'fail',
      'from-now',
      'from-beginning',
    ]),
  };
  checkTogether(settings, options);
  checkShapes(options);
  return settings;
}

/** A misspelt option that is ignored would be a default that nobody chose. */
function checkNames(options: object): void {
  refuseUnknown('', options, ['environment', 'strategy', ...Object.keys(numberOptions), ...Object.keys(otherOptions)]);
}

function refuseUnknown(within: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const meant = unknown.map((name) => nearestName(name, known)).find((name) => name !== undefined);
  const advice = meant === undefined ? '' : ` Did you mean ${within}${meant}?`;
  refuse(`There is no option ${unknown.map((name) => `'${within}${name}'`).join(', ')}.${advice}`);
}

/** For callers without types: what would fail later, at every change or event, is refused now. */
function checkShapes({
  purpose,
  logger,
  onEvent,
  classify,
  bisect,
  schema,
  signal,
}: CommonOptions & { schema?: unknown }): void {
  if (purpose !== undefined && typeof purpose !== 'string') refuse('purpose is a text.');
  if (logger !== undefined && logger !== false && !isLogger(logger)) {
    refuse('logger has functions info, warn and error, or is false.');
  }
  if (onEvent !== undefined && typeof onEvent !== 'function') refuse('onEvent is a function.');
  if (classify !== undefined && typeof classify !== 'function') refuse('classify is a function.');
  if (bisect !== undefined && typeof bisect !== 'boolean') refuse('bisect is true or false.');
  if (signal !== undefined && typeof signal.addEventListener !== 'function') refuse('signal is an AbortSignal.');
  const { validate }: { validate?: unknown } = Object(Object(schema)['~standard']);
  if (schema !== undefined && typeof validate !== 'function') refuse('schema is a Standard Schema: it has ~standard.');
}

function isLogger(x: unknown): x is Logger {
  return ['info', 'warn', 'error'].every((name) => typeof Object(x)[name] === 'function');
}

function checkTogether({ lease, pump }: ProcessorSettings, options: CommonOptions): void {
  const { renewMs, expirationMs, fenceMarginMs, rangesMin, rangesMax } = lease;
  if (expirationMs <= renewMs + fenceMarginMs) {
    refuse(
      `leaseExpirationMs (${expirationMs}) must exceed leaseRenewMs (${renewMs}) + fenceMarginMs (${fenceMarginMs}): else every ` +
        'lease is given up before it is renewed.',
    );
  }
  if (rangesMax > 0 && rangesMin > rangesMax) refuse(`rangesMin (${rangesMin}) is above rangesMax (${rangesMax}).`);
  const { action } = pump.failure;
  if ((action === 'park-item' || action === 'park-key') && options.deadLetters === undefined) {
    refuse(`onFailure '${action}' needs deadLetters: a container for what is parked.`);
  }
}

function readNumber(name: NumberOptionName, given: unknown): number {
  const { fallback, min, isWhole, unit }: NumberOption = numberOptions[name];
  const value = given ?? fallback;
  const isInfinite = value === Number.POSITIVE_INFINITY && (name === 'handlerMsMax' || name === 'handlerWarnMs');
  if (
    typeof value === 'number' &&
    value >= min &&
    (isInfinite || (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)))
  ) {
    return value;
  }
  return refuse(
    `${name} is ${isWhole ? 'a whole number' : 'a number'}${unit === '' ? '' : ` of ${unit}`} of at least ${min}, not ${show(given)}.`,
  );
}

/** Ids of leases begin with the name; what is no good in an id of a document is no good here (processor.md 1.2). */
function checkName(option: 'name' | 'instance', value: unknown): string {
  if (typeof value !== 'string' || (option === 'instance' && value === '')) return refuse(`${option} is a text.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const bad = /[/\\?#\u0000-\u001f\u007f]/.exec(value)?.[0];
  if (bad !== undefined) return refuse(`${option} cannot have ${show(bad)} in it: it stands in ids of documents.`);
  if (Buffer.from(value).toString() !== value) return refuse(`${option} has half a character in it.`);
  if (value.length > nameCharsMax) return refuse(`${option} has at most ${nameCharsMax} characters.`);
  return value;
}

const nameCharsMax = 100;

function readStart(start: unknown): FeedStart {
  if (start === 'now' || start === 'beginning') return start;
  const { timeMs, position }: { timeMs?: unknown; position?: unknown } = Object(start);
  if (typeof timeMs === 'number' && Number.isFinite(timeMs) && timeMs >= 0) return { timeMs };
  if (typeof position === 'string' && position !== '') return { position };
  return refuse(`start is 'now', 'beginning', { timeMs } or { position }, not ${show(start)}.`);
}

function readCheckpoint(given: CheckpointOption): CheckpointStrategy {
  if (given === 'every-batch') return { kind: 'every-batch' };
  if (given === 'manual') return { kind: 'manual' };
  const { items, intervalMs, manual, isCumulative }: Record<string, unknown> = Object(given);
  if (Number.isSafeInteger(items) && Number(items) >= 1) return { kind: 'items', items: Number(items) };
  if (typeof intervalMs === 'number' && intervalMs > 0) return { kind: 'interval', intervalMs };
  if (manual === true) return { kind: 'manual', isCumulative: isCumulative === true };
  return refuse(
    `checkpoint is 'every-batch', { items }, { intervalMs }, 'manual' or { manual: true }, not ${show(given)}.`,
  );
}

function readFailure({ onFailure, retry, bisect, classify }: CommonOptions): FailurePolicy {
  const actions = ['skip', 'park-item', 'park-key', 'halt-range', 'halt-all'] as const;
  refuseUnknown('retry.', retry ?? {}, Object.keys(defaultFailurePolicy.retry));
  const whole: RetryPolicy = { ...defaultFailurePolicy.retry, ...retry };
  const { attemptsMax, firstMs, factor, maxMs, jitter } = whole;
  const isCount = attemptsMax === Number.POSITIVE_INFINITY || (Number.isSafeInteger(attemptsMax) && attemptsMax >= 1);
  if (!isCount) refuse(`retry.attemptsMax is a whole number of at least 1, or Infinity, not ${show(attemptsMax)}.`);
  if (!(firstMs >= 0 && maxMs >= firstMs)) refuse('retry.firstMs is at least 0, and retry.maxMs not below it.');
  if (!(factor >= 1)) refuse(`retry.factor is at least 1, not ${show(factor)}.`);
  if (!(jitter >= 0 && jitter <= 1)) refuse(`retry.jitter is from 0 to 1, not ${show(jitter)}.`);
  return {
    retry: whole,
    action: oneOf('onFailure', onFailure ?? defaultFailurePolicy.action, actions),
    bisect: bisect ?? defaultFailurePolicy.bisect,
    classify,
  };
}

function oneOf<T extends string>(option: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  return refuse(`${option} is one of ${allowed.map((each) => `'${each}'`).join(', ')}, not ${show(value)}.`);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function refuse(message: string): never {
  throw new ProcessorError('invalid-option', message);
}
