// `tidemark merge`: two neighbouring ranges become one, online.

import { DatabaseError } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { adminCall } from '../jobs.ts';
import { folderOf, withFolder } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { print } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const [name, first, second] = call.arguments;
  const { database, container } = containerNames(name);
  const folder = folderOf(call);
  const merged =
    folder === undefined
      ? await ofServer(call, database, container, first, second)
      : await withFolder(folder, ownCommand(process.env), async (opened) => {
          const inside = opened.container(database, container);
          if (first === undefined || second === undefined) throw unsaid(inside.ranges);
          return { ranges: [first, second], range: await inside.merge(first, second) };
        });
  const { range } = merged as { range: { id: string } }; // The admin API's form.
  const text = `The ranges ${first} and ${second} are now the range ${range.id}.\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify(merged)}\n` : text);
  return 0;
}

async function ofServer(
  call: Call,
  database: string,
  container: string,
  first: string | undefined,
  second: string | undefined,
): Promise<object> {
  const client = connect(call);
  if (first === undefined || second === undefined) throw unsaid(await client.container(database, container).ranges());
  const body = { ranges: [first, second] };
  return adminCall(client, () =>
    client.admin('POST', ['dbs', database, 'colls', container, 'merge'], body, { retryMsMax: 0 }),
  );
}

function unsaid(ranges: readonly { readonly id: string; readonly min: string }[]): DatabaseError {
  const inOrder = [...ranges].sort((a, b) => (a.min < b.min ? -1 : 1));
  const ids = inOrder.map(({ id }) => id).join(', ');
  const message =
    ranges.length < 2 ? `There is one range, ${ids}: nothing to merge.` : `Say which two neighbours: ${ids}.`;
  return new DatabaseError('bad-request', message);
}
