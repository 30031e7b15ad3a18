// `tidemark restore`: a data folder from a backup. It begins a new history, so that no reader mistakes new changes for old ones.

import { resolve } from 'node:path';
import { restoreDatabase } from '@tidemark/engine';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { ownCommand } from '../own-command.ts';
import { print, quoted } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const [from = '', to = ''] = call.arguments;
  const [backup, folder] = [resolve(from), resolve(to)];
  await restoreDatabase({ backup, folder });
  const text = `Restored into ${folder}. Start with: ${ownCommand(process.env)} serve --data ${quoted(to)}\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify({ backup, folder })}\n` : text);
  return 0;
}
