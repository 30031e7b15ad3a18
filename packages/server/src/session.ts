// How fresh an answer has to be: the consistency level that a request asks for, and the session token that says how much of
// each range the client has seen (wire 13).

import type { SessionToken } from '@tidemark/model';
import { DatabaseError, header, parseSessionTokens } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import type { Place } from './resources.ts';

/** From the strongest to the weakest, in lower case. */
const levels: readonly string[] = ['strong', 'boundedstaleness', 'session', 'consistentprefix', 'eventual'];
/** That of the account. */
const ownLevel: number = levels.indexOf('session');

/** The version of the seeds' requests, which ask for strong consistency. */
const strongUntil = '2016-07-11';

/**
 * Wire: a request may weaken the account's level and not strengthen it. The requests that the seeds print strengthen it, and
 * work: one process reads nothing but what is there, so they get what they ask for. Throws bad-request.
 */
export function checkConsistency(request: RequestHead): void {
  const text = textOfHeader(request, header.consistencyLevel);
  if (text === undefined) return;
  const level = levels.indexOf(text.toLowerCase());
  const strongest = request.apiVersion !== undefined && request.apiVersion <= strongUntil ? 0 : ownLevel;
  if (level >= strongest) return;
  throw new DatabaseError(
    'bad-request',
    `The consistency level '${text}' specified in the request is invalid: the service is configured with consistency ` +
      'level Session, and a request may only ask for a weaker one (Session, ConsistentPrefix, Eventual).',
  );
}

/** For reads. Throws session-not-available when something the client has seen is not here, bad-request for what is no token. */
export function checkSession(request: RequestHead, place: Place): void {
  const text = textOfHeader(request, header.sessionToken);
  if (text === undefined) return;
  const tokens = parseSessionTokens(text);
  const level = textOfHeader(request, header.consistencyLevel)?.toLowerCase();
  // Whoever asks for less than his session does not wait for it.
  if (level !== undefined && levels.indexOf(level) > ownLevel) return;
  const { ranges } = place.container;
  for (const token of tokens) {
    // After a split or merge a range answers for all it descends from.
    const heirs = ranges.filter(({ id, parents }) => id === token.rangeId || parents.includes(token.rangeId));
    if (heirs.length === 0 || heirs.some(({ tailLsn }) => tailLsn < token.lsn)) throw notAvailable(token);
  }
}

function notAvailable({ rangeId, lsn }: SessionToken): DatabaseError {
  return new DatabaseError(
    'session-not-available',
    `The read session is not available for the input session token: range ${rangeId} has not come to ${lsn} here.`,
  );
}
