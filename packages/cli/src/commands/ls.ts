// `tidemark ls`: the databases of an account, the containers of a database, the first documents of a container.

import type { Call } from '../call.ts';
import { isOn, numberOption } from '../call.ts';
import { connect } from '../connect.ts';
import { listing } from '../listing.ts';
import { print, say } from '../terminal.ts';

const itemsDefault = 100;
const itemsLimit = 1_000_000;

export async function run(call: Call): Promise<number> {
  const [name] = call.arguments;
  const itemsMax = numberOption(call, 'limit', { min: 1, max: itemsLimit }) ?? itemsDefault;
  const list = await listing(connect(call), name, { itemsMax });
  if (isOn(call, 'json')) await print(list.items.map((item) => `${JSON.stringify(item, withNulls)}\n`).join(''));
  else {
    await print(list.text(process.stdout.columns || Number.POSITIVE_INFINITY));
    say(`${list.sum}${list.hasMore ? ', and there may be more: --limit N lists more' : ''}.`);
  }
  return 0;
}

/** What is unknown stays in the JSON: a missing member might be taken for nothing. */
function withNulls(_name: string, value: unknown): unknown {
  return value === undefined ? null : value;
}
