// Pages are made in buffers that are used again once their client has them. Whoever takes a page slowly, or leaves in the
// middle of it, must neither see another one's documents nor leave any in those of others.

import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './harness.ts';
import type { Made } from './raw.ts';
import { inRange, makeIn, pageOf } from './raw.ts';
import { RawClient } from './socket.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const documents = 60;
const onPage = 10;
const letters = 300_000;
/** More than the buffers of both sockets hold, so that one of them stays in the server. */
const pagesAhead = 5;

const textOf = (n: number): string => String.fromCharCode(97 + (n % 26)).repeat(letters);

async function fill(): Promise<Made> {
  const made = await makeIn(world);
  const container = world.database.container('db', made.id);
  for (let n = 0; n < documents; n += 1) await container.create({ id: `${n}`, pk: 'a', text: textOf(n) });
  await world.database.engine.settle();
  return made;
}

const feed = { 'a-im': 'Incremental Feed', ...inRange('0'), ...pageOf(onPage) };

/** The page that begins with document `from`. */
const headersFrom = (from: number): Readonly<Record<string, string>> =>
  from === 0 ? feed : { ...feed, 'if-none-match': `"${from}"` };

async function askFrom(client: RawClient, { docs }: Made, from: number): Promise<void> {
  client.ask('GET', docs, headersFrom(from));
  const { json } = await client.answer();
  expectPage(json, from);
}

function expectPage(json: { Documents: { id: string; text: string }[] }, from: number): void {
  expect(json.Documents.map(({ id }) => Number(id))).toEqual(Array.from({ length: onPage }, (_, i) => from + i));
  for (const { id, text } of json.Documents) expect(text === textOf(Number(id))).toBe(true);
}

test('[B1] a page that is taken slowly stays what it was, whatever others read and whoever leaves meanwhile', async () => {
  const made = await fill();
  const port = Number(new URL(world.url).port);
  using slow = await RawClient.connect(port);
  using quick = await RawClient.connect(port);
  slow.socket.pause();
  for (let page = 0; page < pagesAhead; page += 1) slow.ask('GET', made.docs, headersFrom(page * onPage));
  for (let turn = 0; turn < 10; turn += 1) {
    using leaving = await RawClient.connect(port);
    leaving.ask('GET', made.docs, headersFrom(onPage));
    await once(leaving.socket, 'data');
    // What these two read last is none of what the slow one waits for.
    await askFrom(quick, made, onPage * pagesAhead);
  }
  slow.socket.resume();
  for (let page = 0; page < pagesAhead; page += 1) expectPage((await slow.answer()).json, page * onPage);
});
