// One document by its id. Its partition key may be given; without it all documents of that id are looked for.

import type { RestClient, RestContainer } from '@tidemark/client';
import type { PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import {
  DatabaseError,
  extractPartitionKey,
  parsePartitionKeyPath,
  validatePartitionKeyDefinition,
} from '@tidemark/model';
import type { Call } from './call.ts';
import { textOption } from './call.ts';
import { connect, containerNames } from './connect.ts';
import { Progress } from './progress.ts';
import { readPartitionKey } from './query/parameters.ts';
import { runQuery } from './query/query-run.ts';
import { counted, quoted, shown, stopSignal } from './terminal.ts';

export interface OpenContainer {
  readonly client: RestClient;
  /** `shop/orders`. */
  readonly name: string;
  readonly inside: RestContainer;
  readonly definition: PartitionKeyDefinition;
}

export interface FoundDocument {
  /** As the account sent it. */
  readonly bytes: Buffer;
  readonly partitionKey: PartitionKeyValues;
}

/** Fails at once where there is no such container, or nobody answers. */
export async function openContainer(call: Call, name: string): Promise<OpenContainer> {
  const { database, container } = containerNames(name);
  const client = connect(call);
  const inside = client.container(database, container);
  const { partitionKey } = await inside.read({ retryMsMax: 0 });
  return { client, name, inside, definition: validatePartitionKeyDefinition(partitionKey) };
}

/** Undefined where there is none. Fails where there are several. */
export async function findDocument(call: Call, opened: OpenContainer, id: string): Promise<FoundDocument | undefined> {
  const text = textOption(call, 'partitionKey');
  const isItsOwnKey = opened.definition.paths.join() === '/id';
  const partitionKey =
    text === undefined ? (isItsOwnKey ? [id] : undefined) : readPartitionKey(text, opened.definition, false);
  if (partitionKey === undefined) return onlyOne(opened, id);
  const answer = await opened.inside.readDocument(partitionKey, id);
  return answer === undefined ? undefined : { bytes: answer.bytes, partitionKey };
}

/** In a sentence, once `findDocument` has found none: which keys have the id, where it was looked for under one. */
export async function missingText(call: Call, opened: OpenContainer, id: string): Promise<string> {
  const { name, definition } = opened;
  const missing = `There is no document ${JSON.stringify(id)}`;
  const text = textOption(call, 'partitionKey');
  if (text === undefined) return `${missing} in ${name}.`;
  // Whatever this fails for, that there is none of this key is what is to be told.
  const found = await documentsOf(opened, id).catch(() => undefined);
  if (found?.length === 0) return `${missing} in ${name}.`;
  const key = readPartitionKey(text, definition, false);
  const asked = isNoKey(key) ? withoutKey : `of the partition key ${keyJson(key)}`;
  const others = found?.map(({ partitionKey: other }) => `one ${isNoKey(other) ? withoutKey : `of ${keyJson(other)}`}`);
  return shown(`${missing} ${asked} in ${name}${others === undefined ? '' : `; there is ${others.join(', ')}`}.`);
}

/** What stands for a document's key in its bytes. */
export function keyOf(bytes: Buffer, { paths }: PartitionKeyDefinition): PartitionKeyValues {
  const parsed = paths.map((path) => parsePartitionKeyPath(path));
  return extractPartitionKey(JSON.parse(bytes.toString('utf8')), parsed);
}

/** For people, behind an id. */
export function keyText(key: PartitionKeyValues): string {
  return isNoKey(key) ? 'no partition key' : `partition key ${shown(keyJson(key))}`;
}

/** As it is written behind --partition-key. */
function keyJson(key: PartitionKeyValues): string {
  return JSON.stringify(key.map((value) => (value === undefined ? {} : value)));
}

function isNoKey(key: PartitionKeyValues): boolean {
  return key.every((value) => value === undefined);
}

const withoutKey = 'without a partition key';

async function onlyOne(opened: OpenContainer, id: string): Promise<FoundDocument | undefined> {
  const found = await documentsOf(opened, id);
  if (found.length <= 1) return found[0];
  const keys = found.map(({ partitionKey }) => quoted(keyJson(partitionKey))).join(', ');
  const number = found.length === severalMax ? `at least ${severalMax} documents` : counted(found.length, 'documents');
  const message = `There are ${number} of the id ${JSON.stringify(id)}: say which with --partition-key, one of ${keys}.`;
  throw new DatabaseError('bad-request', message);
}

/** Of any key, and not more than can be looked through. */
async function documentsOf({ client, inside, definition }: OpenContainer, id: string): Promise<FoundDocument[]> {
  const rows: Buffer[] = [];
  const outcome = await runQuery({
    target: { client, database: inside.database, container: inside.id, partitionKey: undefined },
    question: { text: 'SELECT * FROM c WHERE c.id = @id', parameters: [{ name: '@id', json: JSON.stringify(id) }] },
    writer: { write: async (page) => void rows.push(...page), leftOut: () => '' },
    progress: new Progress(`looking for ${JSON.stringify(id)}`),
    itemsMax: undefined,
    limit: severalMax,
    signal: stopSignal(),
  });
  if (!outcome.isComplete) throw new DatabaseError('unavailable', 'Interrupted while the document was looked for.');
  return rows.map((bytes) => ({ bytes, partitionKey: keyOf(bytes, definition) }));
}

const severalMax = 20;
