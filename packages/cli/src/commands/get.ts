// `tidemark get`: one document, as the account has it.

import { onOneLine, withoutMembers } from '@tidemark/client';
import { isSystemProperty } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { findDocument, missingText, openContainer } from '../document-lookup.ts';
import { indentedJson } from '../json-layout.ts';
import { print, say } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const [name = '', id = ''] = call.arguments;
  const opened = await openContainer(call, name);
  const found = await findDocument(call, opened, id);
  if (found === undefined) {
    say(await missingText(call, opened, id));
    return 1;
  }
  const bytes = isOn(call, 'bare') ? withoutMembers(found.bytes, isSystemProperty) : found.bytes;
  const isForPeople = process.stdout.isTTY === true && !isOn(call, 'json');
  await print(isForPeople ? `${indentedJson(bytes.toString('utf8'))}\n` : Buffer.concat([onOneLine(bytes), lineFeed]));
  return 0;
}

const lineFeed: Buffer = Buffer.from('\n');
