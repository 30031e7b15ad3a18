// What can go wrong in a world, as data: a plan is a list of these, drawn from the seed, written by a test, or cut down by the shrinker.

import type { Chance } from './chance.ts';

/** Happen to requests of a host while they last. */
export const requestFaultKinds = [
  /** It takes long, there and back. */
  'slow',
  /** It never arrives; the host hears nothing. */
  'lost-request',
  /** It is done, and the host never hears of it. */
  'lost-response',
  /** The host hears nothing, and later it is done. */
  'late-request',
  /** It arrives twice; the host hears the first answer. */
  'doubled-request',
  /** It is done, and the answer is that of its double: 412 or 409. */
  'own-conflict',
  /** A swap is refused with 412 although nothing changed. */
  'conflict-storm',
  /** A list is answered as of some seconds ago. */
  'stale-list',
  /** 429. */
  'throttled',
  /** 503. */
  'unavailable',
  /** 410 although the range is still there. */
  'false-gone',
  /** 401. */
  'unauthorized',
  /** 400: the feed does not know the position that a read begins at. */
  'position-refused',
] as const;

/** Happen to a host. */
export const hostFaultKinds = [
  /** Nothing of the host gets through to the feed, the lease store, or both. */
  'partition-feed',
  'partition-store',
  'partition-both',
  /** SIGSTOP, and SIGCONT at the end. */
  'freeze',
  /** SIGKILL; at the end it starts again under the same name, under another, or never. */
  'kill-same-name',
  'kill-new-name',
  'kill',
  /** The wall clock is set forth or back. */
  'clock-jump',
  /** The monotonic clock runs up to 10 % too fast or too slow. */
  'clock-drift',
  /** A clean stop; at the end another host starts. */
  'stop-start',
  /** One more host starts; at the end it stops cleanly. */
  'join-leave',
  /** A second process starts under the name of one that runs. */
  'twin',
  /** Handler calls throw. */
  'handler-throws',
  /** Handler calls take long. */
  'handler-slow',
  /** Handler calls neither end nor obey their signal until it is over. */
  'handler-hangs',
  /** Handler calls throw what the failure policy halts a range for. */
  'handler-fatal',
  /** `open` and `close` of the observer take long, and `open` may fail. */
  'observer-slow',
] as const;

/** Happen to the lease container: somebody with access to it makes a mistake. */
export const operatorFaultKinds = [
  /** A lease document is deleted. */
  'lease-deleted',
  /** A lease document is there twice, under two partition keys. Only in containers partitioned by `/partitionKey`. */
  'lease-doubled',
  /** The group is paused; at the end it is resumed. */
  'pause',
] as const;

export type RequestFaultKind = (typeof requestFaultKinds)[number];
export type HostFaultKind = (typeof hostFaultKinds)[number];
export type OperatorFaultKind = (typeof operatorFaultKinds)[number];
export type FaultKind = RequestFaultKind | HostFaultKind | OperatorFaultKind;
export const faultKinds: readonly FaultKind[] = [...requestFaultKinds, ...hostFaultKinds, ...operatorFaultKinds];

export type Port = 'feed' | 'store' | 'dead-letters';

export interface Fault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly durationMs: number;
  /** Index of the host among those that the world began with, or of a lease; undefined: all of them. */
  readonly host: number | undefined;
  /** Which requests; undefined: all. */
  readonly port: Port | undefined;
  /** Part of the requests or handler calls that it happens to. */
  readonly share: number;
}

export interface PlanOptions {
  readonly faults: number;
  readonly hosts: number;
  readonly untilMs: number;
  readonly kinds?: readonly FaultKind[];
  /** Longest freeze, partition, absence. */
  readonly durationMsMax: number;
}

export function drawFaults(chance: Chance, options: PlanOptions): Fault[] {
  const kinds = options.kinds ?? faultKinds;
  return Array.from({ length: options.faults }, () => drawFault(chance, chance.pick(kinds), options)).sort(
    (a, b) => a.atMs - b.atMs,
  );
}

function drawFault(chance: Chance, kind: FaultKind, options: PlanOptions): Fault {
  const isOfRequests = (requestFaultKinds as readonly string[]).includes(kind);
  const isForAll = isOfRequests && chance.bool(0.15);
  return {
    kind,
    atMs: Math.floor(chance.between(0, options.untilMs)),
    durationMs: Math.floor(options.durationMsMax * chance.between(0.05, 1) ** 1.5),
    host: isForAll ? undefined : chance.int(options.hosts),
    port: isOfRequests ? portOf(chance, kind as RequestFaultKind) : undefined,
    share: chance.bool(0.25) ? 1 : chance.between(0.1, 0.8),
  };
}

function portOf(chance: Chance, kind: RequestFaultKind): Port | undefined {
  if (kind === 'false-gone' || kind === 'position-refused') return 'feed';
  if (kind === 'stale-list' || kind === 'own-conflict' || kind === 'conflict-storm' || kind === 'late-request')
    return 'store';
  return chance.pick(['feed', 'store', 'store', undefined]);
}
