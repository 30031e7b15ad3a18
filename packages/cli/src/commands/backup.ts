// `tidemark backup`: everything as of now, copied by a running server into its own folder for backups, or from a folder.

import { resolve } from 'node:path';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { connect } from '../connect.ts';
import { runJob } from '../jobs.ts';
import { folderOf, withFolder } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { print, size } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const [target] = call.arguments;
  const folder = folderOf(call);
  const result = folder === undefined ? await ofServer(call, target) : await ofFolder(folder, target);
  const text = `Copied ${size(Number(result['bytes']))} to ${result['folder']}\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify(result)}\n` : text);
  return 0;
}

function ofServer(call: Call, name: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (name !== undefined && /[/\\]/.test(name)) {
    throw new UsageError(
      'A running server takes the name of a backup, not a path; its --backup-folder says where it goes.',
    );
  }
  return runJob(connect(call), 'backup', name === undefined ? {} : { name });
}

async function ofFolder(folder: string, target: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (target === undefined) throw new UsageError('With --data, name the folder that the backup goes to.');
  const path = resolve(target);
  return withFolder(folder, ownCommand(process.env), async (database) => {
    const result = await database.backup(path);
    return { folder: path, ...result };
  });
}
