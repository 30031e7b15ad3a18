// Which account a command talks to, and with which key. The default is a server of this machine with the well-known key.

import type { Credential } from '@tidemark/client';
import { accountFromEnvironment, parseConnectionString, RestClient } from '@tidemark/client';
import { isDatabaseError, isLoopback } from '@tidemark/model';
import type { Call } from './call.ts';
import { textOption } from './call.ts';
import { KeyWantedError, UsageError } from './usage-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultEndpoint = 'http://127.0.0.1:8081';

export function connect(call: Call, environment: Environment = process.env): RestClient {
  const { endpoint, credential } = accountOf(call, environment);
  return new RestClient({ endpoint, credential, userAgent: 'tidemark-cli' });
}

interface Account {
  readonly endpoint: string;
  readonly credential: Credential;
}

export function accountOf(call: Call, environment: Environment): Account {
  const variable = textOption(call, 'connectionStringEnv');
  const given = textOption(call, 'endpoint');
  if (variable !== undefined) {
    if (given !== undefined) throw new UsageError('Give --endpoint or --connection-string-env, not both.');
    const text = environment[variable];
    if (text === undefined || text === '') throw new UsageError(`The environment variable ${variable} is not set.`);
    return accountIn(text, variable);
  }
  const { COSMOS_CONNECTION_STRING: text, TIDEMARK_ENDPOINT } = environment;
  if (text && given === undefined) {
    // As in programs: whichever counted, somebody would wonder about the other.
    const other = ['TIDEMARK_ENDPOINT', 'TIDEMARK_KEY', 'TIDEMARK_RESOURCE_TOKEN'].find((name) => environment[name]);
    if (other !== undefined)
      throw new UsageError(`COSMOS_CONNECTION_STRING and ${other} are both set: unset one of the two.`);
    return accountIn(text, 'COSMOS_CONNECTION_STRING');
  }
  const endpoint = given ?? (TIDEMARK_ENDPOINT || defaultEndpoint);
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    throw new UsageError(
      `An endpoint begins with http:// or https://, as in ${defaultEndpoint}; '${endpoint}' is none.`,
    );
  }
  checkHasNoPath(endpoint);
  return { endpoint, credential: credentialOf(endpoint, environment) };
}

function accountIn(connectionString: string, variable: string): Account {
  const { endpoint, key } = asUsage(() => parseConnectionString(connectionString, variable));
  checkHasNoPath(endpoint);
  return { endpoint, credential: { key } };
}

/**
 * The address of a page or a resource: the server would say that the key is wrong, since it cannot know what was meant. Any other
 * path is that of a proxy.
 */
function checkHasNoPath(endpoint: string): void {
  if (!URL.canParse(endpoint)) return;
  const { origin, pathname } = new URL(endpoint);
  if (!/^\/+(?:_tidemark|health|dbs|offers)(?:\/|$)/.test(pathname)) return;
  throw new UsageError(`An endpoint ends after its host and port: ${origin}, without ${pathname}`);
}

function credentialOf(endpoint: string, environment: Environment): Credential {
  const key = environment['TIDEMARK_KEY'];
  const resourceToken = environment['TIDEMARK_RESOURCE_TOKEN'];
  if (!key && resourceToken !== undefined && resourceToken !== '') return { resourceToken };
  // The well-known key is never sent to a machine that somebody only mistyped.
  const isKeyWanted = !key && !isLoopback(new URL(endpoint).hostname);
  const account = () => accountFromEnvironment({ TIDEMARK_ENDPOINT: endpoint, TIDEMARK_KEY: key });
  return { key: asUsage(account, isKeyWanted ? endpoint : undefined).key };
}

/** What is wrong with the words that name an account is wrong with the command line or the configuration. */
function asUsage<T>(read: () => T, wantsKeyOf?: string): T {
  try {
    return read();
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw wantsKeyOf === undefined ? new UsageError(error.message) : new KeyWantedError(error.message, wantsKeyOf);
  }
}

/** `DATABASE/CONTAINER`. Neither name can have a slash. */
export function containerNames(text: string | undefined): { readonly database: string; readonly container: string } {
  const [database = '', container = '', ...rest] = (text ?? '').split('/');
  if (database !== '' && container !== '' && rest.length === 0) return { database, container };
  throw new UsageError(`A container is named DATABASE/CONTAINER, not '${text}'.`);
}
