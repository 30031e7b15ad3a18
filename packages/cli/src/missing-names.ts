// A name that is not there, and the one that was probably meant. Asked for after a command has failed: it is no part of any command.

import type { CallOptions, RestClient } from '@tidemark/client';
import { nearContainer } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { isProcessorError, ProcessorError } from '@tidemark/processor';
import type { Call } from './call.ts';
import { textOption } from './call.ts';
import { connect, containerNames } from './connect.ts';
import { groupNames } from './group.ts';
import { lookMsMax } from './limits.ts';
import { suggestion } from './nearest.ts';

const missing: ReadonlySet<string> = new Set(['not-found', 'container-not-found', 'database-not-found']);

/** The same error, with ` Did you mean shop/orders?` at its end where there is such a name. */
export async function withNearNames(error: unknown, call: Call): Promise<unknown> {
  // Whatever this fails for, the error that was there already is the one to be told.
  const add = async (find: () => Promise<string>): Promise<string> => find().catch(() => '');
  if (isDatabaseError(error) && missing.has(error.code)) {
    const near = await add(() => nearName(call));
    return near === '' ? error : new DatabaseError(error.code, `${error.message}${near}`, { cause: error });
  }
  if (isProcessorError(error, 'group-unknown')) {
    const near = await add(async () => suggestion(textOption(call, 'name') ?? '', await groupNames(call)));
    return near === '' ? error : new ProcessorError(error.code, `${error.message}${near}`, { cause: error });
  }
  return error;
}

async function nearName(call: Call): Promise<string> {
  const { leasesConnectionStringEnv: variable } = call.options;
  const there = connect(call);
  const beside =
    typeof variable === 'string' ? connect({ ...call, options: { connectionStringEnv: variable } }) : there;
  const named: readonly (readonly [RestClient, string | undefined])[] = [
    [there, call.arguments[0]],
    [beside, textOption(call, 'leases')],
    [beside, textOption(call, 'deadLetters')],
  ];
  for (const [client, text] of named) {
    if (text === undefined) continue;
    if (!text.includes('/')) return suggestion(text, await databaseNames(client));
    const { database, container } = containerNames(text);
    const near = await nearContainer(client, database, container, look);
    if (near !== undefined) return ` Did you mean ${near}?`;
  }
  return '';
}

async function databaseNames(client: RestClient): Promise<string[]> {
  return (await client.databases(look)).map(({ id }) => String(id));
}

const look: CallOptions = { retryMsMax: 0, timeoutMs: lookMsMax };
