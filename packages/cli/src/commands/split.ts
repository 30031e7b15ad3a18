// `tidemark split`: a range becomes two, online.

import { DatabaseError } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { adminCall } from '../jobs.ts';
import { folderOf, withFolder } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { print } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const [name, range] = call.arguments;
  const { database, container } = containerNames(name);
  const at = textOption(call, 'at')?.toUpperCase();
  if (at !== undefined && !/^[0-9A-F]+$/.test(at))
    throw new UsageError(`--at must be hexadecimal digits, not '${at}'.`);
  const folder = folderOf(call);
  const result =
    folder === undefined
      ? await ofServer(call, database, container, { ...(range && { range }), ...(at && { at }) })
      : await ofFolder(folder, database, container, range, at);
  const { range: parent, children } = result as { range: string; children: readonly { id: string }[] }; // The admin API's form.
  const text = `Range ${parent} is now the ranges ${children.map(({ id }) => id).join(' and ')}.\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify(result)}\n` : text);
  return 0;
}

async function ofServer(call: Call, database: string, container: string, body: object): Promise<object> {
  const client = connect(call);
  return adminCall(client, () =>
    client.admin('POST', ['dbs', database, 'colls', container, 'split'], body, { retryMsMax: 0 }),
  );
}

function ofFolder(
  folder: string,
  database: string,
  container: string,
  range: string | undefined,
  at: string | undefined,
): Promise<object> {
  return withFolder(folder, ownCommand(process.env), async (opened) => {
    const inside = opened.container(database, container);
    const { ranges } = inside;
    if (range === undefined && ranges.length > 1) {
      throw new DatabaseError('bad-request', `Say which range: ${ranges.map(({ id }) => id).join(', ')}.`);
    }
    const parent = range ?? ranges[0]?.id ?? '';
    const children = await inside.split(parent, at);
    return { range: parent, children };
  });
}
