// `tidemark create`: a database, or a container with its database.

import { readFileSync } from 'node:fs';
import type { RestClient } from '@tidemark/client';
import {
  DatabaseError,
  formatResourcePath,
  header,
  isDatabaseError,
  ttlSecondsMax,
  validatePartitionKeyDefinition,
} from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, numberOption, textOption } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { hashDefinition, readKeyPaths } from '../key-paths.ts';
import { print } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const [name = ''] = call.arguments;
  const throughput = numberOption(call, 'throughput', { min: 400, max: 1_000_000 });
  return name.includes('/') ? createContainer(call, name, throughput) : createDatabase(call, name, throughput);
}

async function createDatabase(call: Call, name: string, throughput: number | undefined): Promise<number> {
  for (const [option, flag] of ofContainers) {
    if (textOption(call, option) === undefined) continue;
    throw new UsageError(`${flag} is about a container: tidemark create DATABASE/CONTAINER ${flag} …`);
  }
  const isMade = await made(call, name, () => postDatabase(connect(call), name, throughput));
  await print(isMade ? `created  the database ${name}\n` : `there already  the database ${name}\n`);
  return 0;
}

const ofContainers: readonly (readonly [string, string])[] = [
  ['partitionKey', '--partition-key'],
  ['ttl', '--ttl'],
  ['policy', '--policy'],
];

/** Of a database, whichever code its account has for that. */
const missing: ReadonlySet<string> = new Set(['not-found', 'container-not-found', 'database-not-found']);

async function createContainer(call: Call, name: string, throughput: number | undefined): Promise<number> {
  const { database, container } = containerNames(name);
  const paths = textOption(call, 'partitionKey');
  if (paths === undefined) {
    throw new UsageError(
      'A container needs a partition key: --partition-key /customer, or /tenant,/user for a hierarchical one.',
    );
  }
  const partitionKey = hashDefinition(readKeyPaths(paths));
  const ttl = readTtl(textOption(call, 'ttl'));
  const indexingPolicy = readPolicy(textOption(call, 'policy'));
  const client = connect(call);
  const definition = {
    id: container,
    partitionKey,
    ...(ttl === undefined ? {} : { defaultTtl: ttl }),
    ...(indexingPolicy === undefined ? {} : { indexingPolicy }),
  };
  const post = (): Promise<unknown> => client.createContainer(database, definition, { throughput, retryMsMax: 0 });
  const isMade = await made(call, name, async () => {
    try {
      await post();
    } catch (error) {
      if (!isDatabaseError(error) || !missing.has(error.code)) throw error;
      await postDatabase(client, database, undefined);
      await print(`created  the database ${database}\n`);
      await post();
    }
  });
  if (!isMade) await checkKey(client, name, partitionKey.paths);
  await print(isMade ? `created  the container ${name}\n` : `there already  the container ${name}\n`);
  return 0;
}

/** False where it is there already and may be. */
async function made(call: Call, name: string, post: () => Promise<unknown>): Promise<boolean> {
  if (await isPosted(post)) return true;
  if (isOn(call, 'ifNotExists')) return false;
  throw new DatabaseError('conflict', `${name} is there already; with --if-not-exists that is no error.`);
}

async function isPosted(post: () => Promise<unknown>): Promise<boolean> {
  try {
    await post();
    return true;
  } catch (error) {
    if (isDatabaseError(error) && error.code === 'conflict') return false;
    throw error;
  }
}

async function postDatabase(client: RestClient, id: string, throughput: number | undefined): Promise<void> {
  await client.send({
    verb: 'POST',
    path: formatResourcePath({ kind: 'database', ids: [], isFeed: true, operation: undefined }),
    headers: {
      [header.contentType]: 'application/json',
      ...(throughput === undefined ? {} : { [header.throughput]: String(throughput) }),
    },
    body: JSON.stringify({ id }),
    retryMsMax: 0,
  });
}

async function checkKey(client: RestClient, name: string, wanted: readonly string[]): Promise<void> {
  const { database, container } = containerNames(name);
  const { partitionKey } = await client.container(database, container).read();
  const found = validatePartitionKeyDefinition(partitionKey).paths.join(',');
  if (found === wanted.join(',')) return;
  const message = `The container ${name} is there already, and has the partition key ${found}, not ${wanted.join(',')}.`;
  throw new DatabaseError('conflict', message);
}

function readTtl(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text === '-1' || (/^\d+$/.test(text) && seconds >= 1 && seconds <= ttlSecondsMax)) return seconds;
  throw new UsageError(
    `--ttl must be a number of seconds from 1 to ${ttlSecondsMax}, or -1 for what documents say themselves, not '${text}'.`,
  );
}

function readPolicy(path: string | undefined): object | undefined {
  if (path === undefined) return undefined;
  try {
    const policy: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof policy === 'object' && policy !== null && !Array.isArray(policy)) return policy;
    throw new Error('it is no JSON object');
  } catch (error) {
    // The file system and JSON.parse throw Errors.
    throw new UsageError(`The indexing policy in ${path} cannot be used: ${(error as Error).message}`);
  }
}
