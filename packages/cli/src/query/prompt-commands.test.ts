import { RestClient, systemEnvironment } from '@tidemark/client';
import { header, wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import { promptCommand } from './prompt-commands.ts';
import { Session } from './session.ts';

/** With an account of one container that has more documents than are listed. */
function sitDown(): { session: Session; type: (name: string, argument?: string) => Promise<string> } {
  const fetch: typeof globalThis.fetch = async (url) => {
    const isFeed = String(url).endsWith('/docs');
    const body = isFeed
      ? { Documents: Array.from({ length: 20 }, (_, n) => ({ id: String(n), pk: 'a' })), _count: 20 }
      : { id: 'orders', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
    const more = isFeed ? { [header.continuation]: 'more' } : {};
    return new Response(JSON.stringify(body), { headers: { [header.activityId]: 'a', ...more } });
  };
  const environment = { ...systemEnvironment(), fetch };
  const client = new RestClient({ endpoint: 'http://127.0.0.1:1', credential: { key: wellKnownKey }, environment });
  const output = { print: async () => {}, width: () => 80 };
  const options = { client, output, tell: () => {}, itemsMax: undefined, limit: 1 };
  const session = new Session(options, { form: 'json', parameters: [], partitionKey: undefined, isExplained: false });
  const { signal } = new AbortController();
  return { session, type: (name, argument = '') => promptCommand(session, name, argument, signal) };
}

test('\\param alone lists the parameters, and only \\param - forgets them', async () => {
  const { session, type } = sitDown();

  const none = await type('param');
  await type('param', 'n=1');
  const two = await type('param', 'city=Brest');
  const listed = await type('param');
  const forgotten = await type('param', '-');

  expect([none, two, listed, forgotten]).toEqual([
    'No parameters.\n',
    '@n = 1\n@city = "Brest"\n',
    two,
    'No parameters.\n',
  ]);
  expect(session.manner.parameters).toEqual([]);
});

test('\\key says which key is asked, keeps it when it is asked for, and gives it up for a -', async () => {
  const { session, type } = sitDown();
  await session.open('shop/orders');

  const given = await type('key', '大阪');
  const broken = type('key', '"ada');
  await expect(broken).rejects.toThrow('begins like JSON and is none');
  const said = await type('key');
  const all = await type('key', '-');
  const quoted = await type('key', '"-"');

  expect([given, said, all, quoted]).toEqual([
    'Only the partition key ["大阪"].\n',
    given,
    'All partition keys.\n',
    'Only the partition key ["-"].\n',
  ]);
});

test('\\ls says that there may be more than it lists', async () => {
  const { type } = sitDown();

  expect(await type('ls', 'shop/orders')).toMatch(
    /\n20 documents, and there may be more: tidemark ls has --limit\.\n$/,
  );
});

test('\\help has every command with what forgets', async () => {
  const text = await sitDown().type('help');

  expect(text).toContain('\\param - forgets them');
  expect(text).toContain('\\key - asks all of them again');
});
