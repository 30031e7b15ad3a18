// Which account the environment of a process names: no program needs a key in its code.

import { DatabaseError, isLoopback, nearestName, wellKnownKey } from '@tidemark/model';
import type { Connection } from './connection.ts';
import { parseConnectionString } from './connection.ts';
import { readMasterKey } from './signature.ts';

const defaultEndpoint = 'http://127.0.0.1:8081';

/**
 * `TIDEMARK_ENDPOINT` and `TIDEMARK_KEY`, or `COSMOS_CONNECTION_STRING`. Without an endpoint it is the server of this machine; without a
 * key its well-known one, which is never sent anywhere else.
 */
export function accountFromEnvironment(environment: Readonly<Record<string, string | undefined>>): Connection {
  const { COSMOS_CONNECTION_STRING: text, TIDEMARK_ENDPOINT: given, TIDEMARK_KEY: key } = environment;
  if (text) {
    const other = given ? 'TIDEMARK_ENDPOINT' : 'TIDEMARK_KEY';
    if (given || key) refuse(`COSMOS_CONNECTION_STRING and ${other} are both set: unset one of the two.`);
    return parseConnectionString(text, 'COSMOS_CONNECTION_STRING');
  }
  const endpoint = (given || defaultEndpoint).replace(/\/+$/, '');
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    refuse(`TIDEMARK_ENDPOINT begins with http:// or https://, as in ${defaultEndpoint}; '${endpoint}' does not.`);
  }
  const { hostname } = new URL(endpoint);
  if (!key) return isLoopback(hostname) ? { endpoint, key: wellKnownKey } : refuse(keyWanted(endpoint, hostname));
  readMasterKey(key, 'TIDEMARK_KEY');
  return { endpoint, key };
}

/** A slip in the name of this machine would have somebody look for a key that there is not. */
function keyWanted(endpoint: string, hostname: string): string {
  const isSlip = nearestName(hostname, ['localhost']) !== undefined;
  const near = isSlip ? `Did you mean ${endpoint.replace(hostname, 'localhost')}? ` : '';
  return `${near}${endpoint} needs a key: set TIDEMARK_KEY to it, or COSMOS_CONNECTION_STRING alone, which has both.`;
}

function refuse(message: string): never {
  throw new DatabaseError('bad-request', message);
}
