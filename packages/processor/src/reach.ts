// Before anything else a processor asks each container that it was given whether it is there. What will not get better by waiting (a wrong key,
// a container that is missing, a certificate that is not trusted) is told at once; an endpoint that does not answer is tried for a while, since
// a server may still be coming up, and is told with its name.

import { brokenMessage, isTrustError } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { bounded, retryPauseMs } from './bounded.ts';
import type { ContainerPlace, Environment } from './environment.ts';
import type { EventSink, HealthProblem } from './events.ts';
import { isPassing } from './host/bootstrap.ts';
import { letterIdBytesMax, reachCallMsMax, reachMsMax } from './limits.ts';
import { messageOf } from './processor-error.ts';
import type { ContainerOption } from './start-advice.ts';
import { advised, isMissing } from './start-advice.ts';
import type { DocumentStore } from './store/document-store.ts';

export interface Reached {
  readonly option: ContainerOption;
  /** Undefined: a container that is in this process, or behind a seam of the user. */
  readonly at: ContainerPlace | undefined;
  /** Asks it something small. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

export function reachedStore(store: DocumentStore, option: 'leases' | 'deadLetters'): Reached {
  // Ids of letters are long; those of leases are as long as the names that were chosen, and are looked at one by one.
  const idBytesMax = option === 'deadLetters' ? letterIdBytesMax : 0;
  return { option, at: store.at, ask: async (signal) => store.prepare?.(idBytesMax, signal) };
}

/** Resolves when all have answered. Rejects after `reachMsMax` at the latest. */
export async function reachAll(
  containers: readonly Reached[],
  ground: Environment,
  emit: EventSink = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const giveUpAtMs = ground.clock.monotonicMs() + reachMsMax;
  for (const container of containers) await reach(container, ground, emit, { giveUpAtMs, signal });
}

async function reach(
  container: Reached,
  ground: Environment,
  emit: EventSink,
  { giveUpAtMs, signal }: { readonly giveUpAtMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { clock } = ground;
  const problem: HealthProblem = container.option === 'source' ? 'feed-failing' : 'lease-store-failing';
  const leftMs = (): number => Math.max(1, giveUpAtMs - clock.monotonicMs());
  for (let failures = 0; ; failures += 1) {
    try {
      await bounded(clock, Math.min(reachCallMsMax, leftMs()), signal, container.ask);
      if (failures > 0) emit({ type: 'healthy', problem, leaseToken: undefined });
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || isUntrusted(error)) throw await refused(error, container, clock, signal);
      const reason = await reasonOf(error, container, ground, Math.min(probeMsMax, leftMs()), signal);
      const pauseMs = retryPauseMs(ground, failures, isDatabaseError(error) ? error.retryAfterMs : undefined);
      if (clock.monotonicMs() + pauseMs >= giveUpAtMs) throw unreached(error, container, reason);
      const seconds = Math.ceil(leftMs() / 1000);
      const message = `${nameOf(container)} cannot be reached yet, and is tried again for ${seconds} seconds: ${reason}`;
      if (failures === 0) emit({ type: 'health', problem, leaseToken: undefined, message, error });
      await clock.sleep(pauseMs, signal);
      signal?.throwIfAborted();
    }
  }
}

/** With what to do about it, and with the name that was probably meant where that is what is wrong. */
async function refused(
  error: unknown,
  { option, at }: Reached,
  clock: Environment['clock'],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const find = isMissing(error) ? at?.near : undefined;
  // Whatever this fails for, the error that was there already is the one to be told.
  const near = find && (await bounded(clock, probeMsMax, signal, find).catch(() => undefined));
  return advised(error, option, at?.container, near);
}

/** Clients that try again by themselves are silent about why: then a plain request tells whether there is anybody. */
async function reasonOf(
  error: unknown,
  { at }: Reached,
  { clock, fetch }: Environment,
  timeMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const isSilent = isDatabaseError(error) && error.code === 'request-timeout';
  if (!isSilent || at === undefined) return messageOf(error);
  const { endpoint } = at;
  const failure = await bounded(clock, timeMs, signal, (inner) => fetch(endpoint, { signal: inner })).then(
    () => undefined,
    (reason: unknown): unknown => Object(reason).cause?.code,
  );
  return typeof failure === 'string' ? brokenMessage(endpoint, failure) : messageOf(error);
}

const probeMsMax = 2000;

function unreached(error: unknown, container: Reached, reason: string): DatabaseError {
  const seconds = reachMsMax / 1000;
  return new DatabaseError(
    isDatabaseError(error) ? error.code : 'unavailable',
    `${nameOf(container)} could not be reached within ${seconds} seconds: ${reason} Look at its endpoint.`,
    { cause: error },
  );
}

function nameOf({ option, at }: Reached): string {
  const names = {
    source: 'The source',
    leases: 'The container of the leases',
    deadLetters: 'The container of the dead letters',
  };
  return at === undefined ? names[option] : `${names[option]}, ${at.container} at ${at.endpoint},`;
}

/** It does not get better by repeating; the words say what to do. */
function isUntrusted(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth += 1) {
    const { code, cause }: { code?: unknown; cause?: unknown } = Object(each);
    if (typeof code === 'string' && isTrustError(code)) return true;
    each = cause;
  }
  return false;
}
