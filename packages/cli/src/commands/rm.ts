// `tidemark rm`: a document; a container or a database with everything in it, once somebody has said so.

import type { RestClient } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import { isConfirmed } from '../confirmation.ts';
import { connect, containerNames } from '../connect.ts';
import { findDocument, keyText, missingText, openContainer } from '../document-lookup.ts';
import { counted, print, say, shown } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const [name = '', id] = call.arguments;
  if (id !== undefined) return removeDocument(call, name, id);
  for (const [option, flag] of ofDocuments) {
    if (textOption(call, option) === undefined) continue;
    throw new UsageError(`${flag} is about a document: tidemark rm DATABASE/CONTAINER ID ${flag} …`);
  }
  const client = connect(call);
  return name.includes('/') ? removeContainer(call, client, name) : removeDatabase(call, client, name);
}

const ofDocuments: readonly (readonly [string, string])[] = [
  ['partitionKey', '--partition-key'],
  ['ifMatch', '--if-match'],
];

async function removeDocument(call: Call, name: string, id: string): Promise<number> {
  const opened = await openContainer(call, name);
  const found = await findDocument(call, opened, id);
  if (found === undefined) {
    say(await missingText(call, opened, id));
    return 1;
  }
  const ifMatch = textOption(call, 'ifMatch');
  // A shell takes the quotes away that are part of an etag.
  const etag = ifMatch === undefined || /^(?:"|\*$)/.test(ifMatch) ? ifMatch : `"${ifMatch}"`;
  await opened.inside.deleteDocument(found.partitionKey, id, { ifMatch: etag });
  await print(`removed  ${shown(JSON.stringify(id))}  ${keyText(found.partitionKey)}\n`);
  return 0;
}

async function removeContainer(call: Call, client: RestClient, name: string): Promise<number> {
  const { database, container } = containerNames(name);
  const inside = client.container(database, container);
  // What is not there needs no confirmation.
  await found(`container ${name}`, inside.read({ retryMsMax: 0 }));
  return remove(call, name, `the container ${name} and all its documents`, () => inside.delete());
}

async function removeDatabase(call: Call, client: RestClient, name: string): Promise<number> {
  if (name === '')
    throw new UsageError('Name what is to be removed: DATABASE, DATABASE/CONTAINER, or a container and an id.');
  const containers = await found(`database ${name}`, client.containers(name, { retryMsMax: 0 }));
  const inside = counted(containers.length, 'containers');
  return remove(call, name, `the database ${name} with ${inside}`, () => client.deleteDatabase(name));
}

/** The account would say that it has to be created first. */
async function found<T>(what: string, look: Promise<T>): Promise<T> {
  try {
    return await look;
  } catch (error) {
    if (!isDatabaseError(error) || !missing.has(error.code)) throw error;
    throw new DatabaseError(error.code, `There is no ${what}.`, { cause: error });
  }
}

const missing: ReadonlySet<string> = new Set(['not-found', 'container-not-found', 'database-not-found']);

async function remove(call: Call, name: string, what: string, work: () => Promise<void>): Promise<number> {
  const isSaid = isOn(call, 'yes') || (await isConfirmed(name, what, { input: process.stdin, output: process.stderr }));
  if (!isSaid) {
    say('Nothing was removed.');
    return 1;
  }
  await work();
  await print(`removed  ${what}\n`);
  return 0;
}
