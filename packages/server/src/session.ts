// How fresh an answer has to be: the session token that says how much of each range the client has seen (wire 13).

import type { ConsistencyLevel, SessionToken } from '@tidemark/model';
import { DatabaseError, header, parseSessionTokens } from '@tidemark/model';
import { waitsForSession } from './consistency.ts';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import type { Place } from './resources.ts';

/** For reads. Throws session-not-available when something the client has seen is not here, bad-request for what is no token. */
export function checkSession(request: RequestHead, place: Place, account: ConsistencyLevel): void {
  const text = textOfHeader(request, header.sessionToken);
  if (text === undefined) return;
  const tokens = parseSessionTokens(text);
  if (!waitsForSession(request, account)) return;
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
