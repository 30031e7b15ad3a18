// The consistency that a request asks for, against that of the account (wire 13). One process reads nothing but what is there, so every
// level gets the strongest; what differs is what a request may say, and whether it waits for its session token.

import type { ConsistencyLevel } from '@tidemark/model';
import { consistencyLevels, DatabaseError, header, parseConsistencyLevel } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';

/** The version of the seeds' requests, which ask for strong consistency. */
const strongUntil = '2016-07-11';

/** Throws bad-request: a request may weaken the account's level and not strengthen it. The requests that the seeds print strengthen it, and work. */
export function checkConsistency(request: RequestHead, account: ConsistencyLevel): void {
  if (checkStrategy(request, account)) return;
  const text = textOfHeader(request, header.consistencyLevel);
  if (text === undefined) return;
  const level = parseConsistencyLevel(text);
  const isOld = request.apiVersion !== undefined && request.apiVersion <= strongUntil;
  const allowed = isOld ? consistencyLevels : levelsFrom(account);
  if (level !== undefined && allowed.includes(level)) return;
  throw new DatabaseError(
    'bad-request',
    `The consistency level '${text}' specified in the request is invalid: the service is configured with consistency ` +
      `level ${account}, and a request may only ask for that or a weaker one (${levelsFrom(account).join(', ')}).`,
  );
}

/** A request for less than Session does not wait for its token. */
export function waitsForSession(request: RequestHead, account: ConsistencyLevel): boolean {
  const strategy = strategyOf(request);
  if (strategy !== undefined && strategy !== 'default') return strategy === 'session';
  const text = textOfHeader(request, header.consistencyLevel);
  const level = (text === undefined ? undefined : parseConsistencyLevel(text)) ?? account;
  return consistencyLevels.indexOf(level) <= consistencyLevels.indexOf('Session');
}

/**
 * Wire: clients of Java send it in the place of a level (wire-2026 8). It is not held to the account's level, but for the one
 * that no account has but a strong one. True where there is one.
 */
function checkStrategy(request: RequestHead, account: ConsistencyLevel): boolean {
  const strategy = strategyOf(request);
  if (strategy === undefined) return false;
  const text = textOfHeader(request, header.readStrategy);
  if (!strategies.includes(strategy)) {
    throw new DatabaseError(
      'bad-request',
      `The header ${header.readStrategy} has no value '${text}'; there are Eventual, Session, LatestCommitted and GlobalStrong.`,
    );
  }
  if (strategy === 'globalstrong' && account !== 'Strong') {
    throw new DatabaseError(
      'bad-request',
      `The value '${text}' of the header ${header.readStrategy} is invalid: it needs an account of consistency level Strong, and this one has ${account}.`,
    );
  }
  return strategy !== 'default';
}

const strategies: readonly string[] = ['default', 'eventual', 'session', 'latestcommitted', 'globalstrong'];

function strategyOf(request: RequestHead): string | undefined {
  return textOfHeader(request, header.readStrategy)?.trim().toLowerCase();
}

function levelsFrom(account: ConsistencyLevel): readonly ConsistencyLevel[] {
  return consistencyLevels.slice(consistencyLevels.indexOf(account));
}
