// How far a range reaches, as the session token of a feed page tells it (wire 13).

import { parseSessionTokens } from '@tidemark/model';

/** Undefined when the token says nothing about that one range: unknown is not zero. */
export function tailLsnOf(sessionToken: string | undefined, range: string | undefined): number | undefined {
  if (sessionToken === undefined) return undefined;
  try {
    const tokens = parseSessionTokens(sessionToken);
    const [only, other] = tokens;
    const found = other === undefined ? only : tokens.find(({ rangeId }) => rangeId === range);
    return found === undefined || found.lsn < 0 ? undefined : found.lsn;
  } catch {
    return undefined;
  }
}
