// What users pass as source, lease container and dead letters, as what the processor works with.

import type { Credential, Renewable } from '@tidemark/client';
import { accountFromEnvironment, parseConnectionString, RestClient, readMasterKey } from '@tidemark/client';
import { systemVariables } from './ambient.ts';
import type { Environment } from './environment.ts';
import { EngineFeedSource } from './feed/engine-feed-source.ts';
import type { FeedSource } from './feed/feed-source.ts';
import { RestFeedSource } from './feed/rest-feed-source.ts';
import { SdkFeedSource } from './feed/sdk-feed-source.ts';
import { storeCallMsMax } from './limits.ts';
import type { EngineContainer } from './outside/engine-container.ts';
import { isEngineContainer } from './outside/engine-container.ts';
import type { SdkClient, SdkStarts } from './outside/sdk-client.ts';
import { isSdkClient } from './outside/sdk-client.ts';
import { ProcessorError } from './processor-error.ts';
import { BoundedStore } from './store/bounded-store.ts';
import type { DocumentStore } from './store/document-store.ts';
import { EngineStore } from './store/engine-store.ts';
import { RestStore } from './store/rest-store.ts';
import { SdkStore } from './store/sdk-store.ts';

interface Named {
  readonly database: string;
  readonly container: string;
}

/** A container by its names and the way to its account. */
export type ContainerAddress =
  /** Of the account that the environment of the process names: TIDEMARK_ENDPOINT and TIDEMARK_KEY, or COSMOS_CONNECTION_STRING. */
  (Named & { readonly endpoint?: never; readonly connectionString?: never; readonly client?: never }) | WholeAddress;

type WholeAddress =
  | (Named & { readonly connectionString: string })
  | (Named & { readonly endpoint: string } & Credential)
  /** A CosmosClient of `@azure/cosmos` 4; `ChangeFeedStartFrom` of the same package where it is not found by itself. */
  | (Named & { readonly client: SdkClient; readonly ChangeFeedStartFrom?: SdkStarts });

/** A container whose changes are read: over the network, of an engine in this process, or anything that keeps the seam. */
export type SourceInput = ContainerAddress | EngineContainer | FeedSource;
/** A container that holds leases or dead letters. It may be of another account than the source. */
export type StoreInput = ContainerAddress | EngineContainer | DocumentStore;

export interface ConnectOptions {
  readonly environment: Environment;
  readonly sessionToken?: string | undefined;
}

export function connectSource(input: SourceInput, options: ConnectOptions): FeedSource {
  const { environment, sessionToken } = options;
  if (isFeedSource(input)) return input;
  if (isEngineContainer(input)) return new EngineFeedSource(input, environment.clock);
  const address = readAddress(input, 'source');
  const { database, container } = address;
  if ('client' in address) {
    return new SdkFeedSource(address.client, database, container, {
      starts: address.ChangeFeedStartFrom,
      sessionToken,
    });
  }
  return new RestFeedSource(restClient(address, 'source', environment), database, container, { sessionToken });
}

export function connectStore(
  input: StoreInput,
  option: 'leases' | 'deadLetters',
  options: ConnectOptions,
): DocumentStore {
  if (isDocumentStore(input)) return input;
  if (isEngineContainer(input)) return new EngineStore(input, options.environment.clock);
  const address = readAddress(input, option);
  const { database, container } = address;
  // The SDK tries again by itself for minutes, and does not listen to signals meanwhile.
  if ('client' in address) {
    return new BoundedStore(
      new SdkStore(address.client, database, container),
      options.environment.clock,
      storeCallMsMax,
    );
  }
  return new RestStore(restClient(address, option, options.environment), database, container);
}

function isFeedSource(x: unknown): x is FeedSource {
  return hasMethods(x, ['identity', 'ranges', 'read']);
}

function isDocumentStore(x: unknown): x is DocumentStore {
  return hasMethods(x, ['list', 'read', 'create', 'replace', 'remove']);
}

function hasMethods(x: unknown, names: readonly string[]): boolean {
  return typeof x === 'object' && x !== null && names.every((name) => typeof Reflect.get(x, name) === 'function');
}

/** What is wrong with an address is told with the option that it is of. */
function restClient(
  address: Exclude<WholeAddress, { readonly client: SdkClient }>,
  option: string,
  environment: Environment,
): RestClient {
  if ('connectionString' in address) {
    const { endpoint, key } = parseConnectionString(address.connectionString, `${option}.connectionString`);
    return new RestClient({ endpoint, credential: { key }, environment });
  }
  const { endpoint, database: _, container: __, ...credential } = address;
  const checked = 'key' in credential ? { key: checkedKey(credential.key, `The key of ${option}`) } : credential;
  return new RestClient({ endpoint, credential: checked, environment });
}

function checkedKey(key: Renewable, name: string): Renewable {
  if (typeof key === 'string') {
    readMasterKey(key, name);
    return key;
  }
  return async () => {
    const given = await key();
    readMasterKey(given, name);
    return given;
  };
}

/** For callers without types: each mistake has its own sentence. */
function readAddress(input: unknown, option: string): WholeAddress {
  if (typeof input !== 'object' || input === null) {
    throw new ProcessorError(
      'invalid-option',
      `${option} says which container it is: { endpoint, key, database, container }.`,
    );
  }
  const given = input as Record<string, unknown>;
  for (const name of ['database', 'container']) {
    if (typeof given[name] === 'string' && given[name] !== '') continue;
    throw new ProcessorError('invalid-option', `${option}.${name} is the name of a ${name}.`);
  }
  if ('client' in given) {
    if (isSdkClient(given['client'])) return input as WholeAddress;
    throw new ProcessorError('invalid-option', `${option}.client is a CosmosClient of @azure/cosmos 4.`);
  }
  if (typeof given['connectionString'] === 'string') return input as WholeAddress;
  const hasCredential = ['key', 'resourceToken', 'tokenProvider'].some((name) => given[name] !== undefined);
  if (typeof given['endpoint'] === 'string' && hasCredential) return input as WholeAddress;
  const isSaid = ['endpoint', 'connectionString', 'key', 'resourceToken', 'tokenProvider'].some(
    (name) => name in given,
  );
  if (!isSaid) return { ...(input as Named), ...accountFromEnvironment(systemVariables()) };
  throw new ProcessorError(
    'invalid-option',
    `${option} has a connectionString, or an endpoint with a key, a resourceToken or a tokenProvider, or a client; or it is a ` +
      'container of an engine.',
  );
}
