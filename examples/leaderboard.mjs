// A view that keeps itself: results come in by player, and the leaderboard of each game is read by game. Two hosts share the work.
// Both may change one board at the same time, so a board is written only over what was read.

import { setTimeout as sleep } from 'node:timers/promises';
import { CosmosClient, StatusCodes } from '@azure/cosmos';
import { accountFromEnvironment, createProcessor, openGroup } from '@tidemark/processor';

const account = accountFromEnvironment(process.env);
const places = 3;

const client = new CosmosClient(account);
const { database } = await client.databases.createIfNotExists({ id: 'arcade' });
const make = async (id, path, options) => {
  const definition = { id, partitionKey: { paths: [path], version: 2 } };
  return (await database.containers.createIfNotExists(definition, options)).container;
};
// Throughput decides how many ranges there are: with more than one there is something to share.
const results = await make('results', '/player', { offerThroughput: 12_000 });
const boards = await make('boards', '/id');
await make('leases', '/id');

const at = (container) => ({ ...account, database: 'arcade', container });
const group = { source: at('results'), leases: at('leases'), name: 'leaderboard' };
const hosts = ['host-1', 'host-2'].map((instance) =>
  createProcessor({ ...group, instance, start: 'beginning', handler: rank }),
);
await Promise.all(hosts.map((host) => host.start()));
for (const [player, game, points] of [
  ['ada', 'asteroids', 420],
  ['bob', 'asteroids', 380],
  ['cleo', 'asteroids', 990],
  ['dora', 'asteroids', 610],
  ['ada', 'asteroids', 700],
  ['bob', 'breakout', 12],
]) {
  await results.items.create({ player, game, points });
}

const desk = openGroup(group);
while ((await desk.lag()).items !== 0) await sleep(100);
for (const game of ['asteroids', 'breakout']) {
  const { resource } = await boards.item(game, game).read();
  console.log(`${game}: ${resource.top.map(({ player, points }) => `${player} ${points}`).join(', ')}`);
}
await Promise.all(hosts.map((host) => host.stop()));
client.dispose();

async function rank(batch) {
  for (const game of new Set(batch.map((result) => result.game))) {
    const entries = batch.filter((result) => result.game === game);
    while (!(await merge(game, entries)));
  }
}

/** The best of each player: a result that comes twice, or late, changes nothing. False: somebody else was faster. */
async function merge(game, entries) {
  const { resource: board, etag } = await boards.item(game, game).read();
  const best = new Map(board?.top.map(({ player, points }) => [player, points]));
  for (const { player, points } of entries) best.set(player, Math.max(points, best.get(player) ?? 0));
  const ranked = [...best].map(([player, points]) => ({ player, points })).sort((a, b) => b.points - a.points);
  const next = { id: game, top: ranked.slice(0, places) };
  try {
    if (board === undefined) await boards.items.create(next);
    else await boards.item(game, game).replace(next, { accessCondition: { type: 'IfMatch', condition: etag } });
    return true;
  } catch (error) {
    if (error.code === StatusCodes.Conflict || error.code === StatusCodes.PreconditionFailed) return false;
    throw error; // The batch comes again.
  }
}
