// `tidemark merge`: two neighbouring ranges become one, online.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { adminCall } from '../jobs.ts';
import { folderOf, withFolder } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { print } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const [name, first = '', second = ''] = call.arguments;
  const { database, container } = containerNames(name);
  const folder = folderOf(call);
  const result =
    folder === undefined
      ? await ofServer(call, database, container, [first, second])
      : await withFolder(folder, ownCommand(process.env), async (opened) => {
          const range = await opened.container(database, container).merge(first, second);
          return { ranges: [first, second], range };
        });
  const { range } = result as { range: { id: string } }; // The admin API's form.
  const text = `The ranges ${first} and ${second} are now the range ${range.id}.\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify(result)}\n` : text);
  return 0;
}

async function ofServer(call: Call, database: string, container: string, ranges: readonly string[]): Promise<object> {
  const client = connect(call);
  return adminCall(client, () =>
    client.admin('POST', ['dbs', database, 'colls', container, 'merge'], { ranges }, { retryMsMax: 0 }),
  );
}
