// An account over the network, Tidemark's or Azure's: its databases and containers. The one signed HTTP client of the project.

import type { HeaderName } from '@tidemark/model';
import { header, isDatabaseError } from '@tidemark/model';
import { systemEnvironment } from './ambient.ts';
import type { Credential } from './credential.ts';
import type { Environment } from './environment.ts';
import { adminPathOf, pathOf } from './request-path.ts';
import { RestContainer } from './rest-container.ts';
import type { CallOptions, RestRequest, RestResponse } from './transport.ts';
import { Transport } from './transport.ts';

export interface RestClientOptions extends Omit<CallOptions, 'signal'> {
  /** `https://host:port`. */
  readonly endpoint: string;
  readonly credential: Credential;
  readonly userAgent?: string;
  /** Time, chance and network, for tests. */
  readonly environment?: Environment;
}

export type ResourceJson = Readonly<Record<string, unknown>>;

/** The service's JSON: id, partitionKey, defaultTtl and so on. The second kind lets a literal have members, the first takes any interface. */
export type ContainerDefinition = { readonly id: string } | ({ readonly id: string } & ResourceJson);

export interface CreateContainerOptions extends CallOptions {
  readonly throughput?: number | undefined;
}

export class RestClient {
  readonly #transport: Transport;

  constructor(options: RestClientOptions) {
    this.#transport = new Transport({ ...options, environment: options.environment ?? systemEnvironment() });
  }

  get endpoint(): string {
    return this.#transport.endpoint;
  }

  /** Any request: for what has no method here. */
  send(request: RestRequest): Promise<RestResponse> {
    return this.#transport.send(request);
  }

  /** What a Tidemark server has beside the protocol, under `/_tidemark/`: `parts` are the names in its path. */
  admin(
    verb: 'GET' | 'POST' | 'DELETE',
    parts: readonly string[],
    body?: object,
    options: CallOptions & { readonly accepts?: readonly number[] } = {},
  ): Promise<RestResponse> {
    const headers = body === undefined ? {} : { [header.contentType]: 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.send({ verb, path: adminPathOf(...parts), headers, body: text, ...options });
  }

  async account(options: CallOptions = {}): Promise<ResourceJson> {
    return Object((await this.send({ verb: 'GET', path: '/', ...options })).json());
  }

  databases(options: CallOptions = {}): Promise<ResourceJson[]> {
    return this.#list(pathOf('database', [], true), 'Databases', options);
  }

  async createDatabase(id: string, options: CallOptions = {}): Promise<ResourceJson> {
    return this.#create(pathOf('database', [], true), { id }, {}, options);
  }

  createDatabaseIfNotExists(id: string, options: CallOptions = {}): Promise<ResourceJson> {
    return this.#ifNotExists(
      () => this.#read(pathOf('database', [id]), options),
      () => this.createDatabase(id, options),
    );
  }

  async deleteDatabase(id: string, options: CallOptions = {}): Promise<void> {
    await this.send({ verb: 'DELETE', path: pathOf('database', [id]), ...options });
  }

  containers(database: string, options: CallOptions = {}): Promise<ResourceJson[]> {
    return this.#list(pathOf('container', [database], true), 'DocumentCollections', options);
  }

  async createContainer(
    database: string,
    definition: ContainerDefinition,
    { throughput, ...options }: CreateContainerOptions = {},
  ): Promise<RestContainer> {
    const headers = throughput === undefined ? {} : { [header.throughput]: String(throughput) };
    await this.#create(pathOf('container', [database], true), definition, headers, options);
    return this.container(database, definition.id);
  }

  async createContainerIfNotExists(
    database: string,
    definition: ContainerDefinition,
    options: CreateContainerOptions = {},
  ): Promise<RestContainer> {
    const { throughput: _, ...call } = options;
    const container = this.container(database, definition.id);
    await this.#ifNotExists<unknown>(
      () => container.read(call),
      () => this.createContainer(database, definition, options),
    );
    return container;
  }

  container(database: string, id: string): RestContainer {
    return new RestContainer(this.#transport, database, id);
  }

  /** Read first: most often it is there, and a read is cheaper than a refused write. Others may create it meanwhile. */
  async #ifNotExists<T>(read: () => Promise<T>, create: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      return await create();
    } catch (error) {
      if (isDatabaseError(error) && error.code === 'conflict') return read();
      throw error;
    }
  }

  async #read(path: string, options: CallOptions): Promise<ResourceJson> {
    return Object((await this.send({ verb: 'GET', path, ...options })).json());
  }

  async #create(
    path: string,
    definition: object,
    headers: Readonly<Partial<Record<HeaderName, string>>>,
    options: CallOptions,
  ): Promise<ResourceJson> {
    const response = await this.send({
      verb: 'POST',
      path,
      headers: { [header.contentType]: 'application/json', ...headers },
      body: JSON.stringify(definition),
      ...options,
    });
    return Object(response.json());
  }

  async #list(path: string, name: string, options: CallOptions): Promise<ResourceJson[]> {
    const all: ResourceJson[] = [];
    let continuation: string | undefined;
    do {
      const headers = continuation === undefined ? {} : { [header.continuation]: continuation };
      const response = await this.send({ verb: 'GET', path, headers, ...options });
      const { [name]: page }: Record<string, unknown> = Object(response.json());
      if (Array.isArray(page)) all.push(...page.map((each) => Object(each)));
      continuation = response.header(header.continuation);
    } while (continuation !== undefined);
    return all;
  }
}

function isMissing(error: unknown): boolean {
  return isDatabaseError(error) && (error.code === 'not-found' || error.code === 'container-not-found');
}
