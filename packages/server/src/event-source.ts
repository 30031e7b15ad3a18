// Requests for an event stream. A browser's EventSource sends no headers of one's own, so that what a feed request says in
// headers may stand in the query here, and a resource token too. It becomes headers before anybody else looks at the request:
// nothing that follows, and no log, knows of the query.

import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderName } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';

/** Parameter → the header that it stands for. */
export const eventSourceParameters: Readonly<Record<string, HeaderName>> = {
  mode: header.changeFeed,
  start: header.feedStart,
  partitionKey: header.partitionKey,
  range: header.rangeId,
  startEpk: header.startEpk,
  endEpk: header.endEpk,
  maxItemCount: header.itemsMax,
  token: header.authorization,
};

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  const { accept } = headers;
  return accept !== undefined && /(?:^|[,\s])text\/event-stream(?:$|[;,\s])/i.test(accept);
}

/**
 * The headers of the same request without a query. A header counts before a parameter, and the id of the last event that the
 * client has seen before every other start: a browser sends it when it connects again, to the address it had.
 */
export function eventSourceHeaders(headers: IncomingHttpHeaders, query: string): IncomingHttpHeaders {
  const all: IncomingHttpHeaders = { ...headers };
  for (const [name, value] of parametersOf(query)) {
    const [target, text] = headerOf(name, value);
    all[target] ??= text;
  }
  all[header.changeFeed] ??= 'Incremental Feed';
  const last = headers[header.lastEventId];
  if (typeof last === 'string' && last !== '') all[header.ifNoneMatch] = last;
  return all;
}

function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    // Values are never repeated in a message: one of them may be a token.
    if (!Object.hasOwn(eventSourceParameters, name)) {
      const names = Object.keys(eventSourceParameters).join(', ');
      throw wrong(`The query of an event stream has a parameter that there is not; there are ${names}.`);
    }
    if (parameters.has(name)) throw wrong(`The parameter ${name} is given twice.`);
    parameters.set(name, value);
  }
  return parameters;
}

function headerOf(name: string, value: string): [name: HeaderName, text: string] {
  const target = eventSourceParameters[name] as HeaderName; // parametersOf lets no other through.
  if (target === header.authorization) return [target, checkedToken(value)];
  if (target === header.changeFeed) return [target, modeOf(value)];
  if (target === header.feedStart && isEtag(value)) return [header.ifNoneMatch, value];
  return [target, value];
}

/** A key signs for a quarter of an hour and for everything, and addresses are kept in histories and logs on the way. */
function checkedToken(token: string): string {
  if (/^type=resource(?:&|%26)/i.test(token)) return token;
  throw new DatabaseError(
    'unauthorized',
    'Only a resource token may stand in an address, as the parameter token. What is signed with a key of the account goes ' +
      'into the header authorization.',
  );
}

function modeOf(value: string): string {
  if (value === 'latest') return 'Incremental Feed';
  if (value === 'all') return 'Full-Fidelity Feed';
  throw wrong('The parameter mode is latest or all.');
}

/** Everything that is neither a word nor a time. */
function isEtag(value: string): boolean {
  return value.startsWith('"') || /^(?:\d+|\*|c1:.*)$/.test(value);
}

function wrong(message: string): DatabaseError {
  return new DatabaseError('bad-request', message);
}
