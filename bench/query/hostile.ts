// What other clients see of a server while somebody asks it something hostile, again and again: point reads over bare sockets, in turns
// with the same reads while nobody asks anything.

import { setTimeout as sleep } from 'node:timers/promises';
import { CosmosClient } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { ChildWithAnswers } from '../common/child-with-answers.ts';
import type { Standing } from '../common/contest.ts';
import { contest } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { chanceOf } from '../engine/chance.ts';
import { Connection } from '../server/connection.ts';
import { containerId, databaseId, readOf } from '../server/requests.ts';
import type { HostileAsk } from './hostile-child.ts';
import type { QueryBenchOptions } from './options.ts';

export type HostileId = 'sort' | 'joins' | 'join-in-one' | 'regex';

export interface Hostile {
  readonly id: HostileId;
  readonly label: string;
  /** Of the documents that everything else is asked of, or of a few that are made for this. */
  readonly of: 'orders' | 'arrays';
  readonly query: string;
}

export const hostiles: readonly Hostile[] = [
  {
    id: 'sort',
    label: 'sorting all documents',
    of: 'orders',
    query: 'SELECT TOP 1000 * FROM c ORDER BY c.note',
  },
  {
    id: 'joins',
    label: 'five arrays of every document with each other',
    of: 'orders',
    query:
      'SELECT VALUE COUNT(1) FROM c JOIN a IN c.items JOIN b IN c.items JOIN d IN c.items JOIN e IN c.items JOIN f IN c.items',
  },
  {
    id: 'join-in-one',
    label: 'two arrays of 990 numbers with each other',
    of: 'arrays',
    query: 'SELECT VALUE COUNT(1) FROM c JOIN a IN c.numbers JOIN b IN c.numbers WHERE a + b = 1',
  },
  {
    id: 'regex',
    label: 'an expression on texts of 30,000 characters',
    of: 'arrays',
    query: "SELECT VALUE COUNT(1) FROM c WHERE RegexMatch(c.text, '(a|aa|aaa)*(a|b)*(a|aa)*x')",
  },
];

export const quiet = 'quiet';

export interface HostileFound {
  readonly connections: number;
  /** By hostile query, and `quiet`: the latency of reads. */
  readonly standings: ReadonlyMap<string, Standing>;
}

/** Reads in flight: of one client that waits for each, and of several. */
const connectionCounts: readonly number[] = [1, 16];
const arraysId = 'arrays';
/** By then the query is under way. */
const beginsMs = 50;

export async function measureHostile(
  port: number,
  documents: number,
  { rounds, turnMs }: QueryBenchOptions,
): Promise<readonly HostileFound[]> {
  const child = await ChildWithAnswers.start(new URL('./hostile-child.js', import.meta.url), [String(port)]);
  const found: HostileFound[] = [];
  await fillArrays(port);
  for (const connections of connectionCounts) {
    const reads = await Reads.open(port, documents, connections);
    const turn = (label: string, hostile: Hostile | undefined) => async (): Promise<Drive> => {
      showProgress(`${connections} read${connections > 1 ? 's' : ''} in flight beside: ${label}`);
      const asks = hostile && { container: hostile.of === 'orders' ? containerId : arraysId, query: hostile.query };
      await child.ask({ asks } satisfies HostileAsk);
      await sleep(beginsMs);
      const driven = await reads.drive(turnMs);
      await child.ask({} satisfies HostileAsk);
      return driven;
    };
    const standings = await contest(
      hostiles.map((hostile) => ({ name: hostile.id, turn: turn(hostile.label, hostile) })),
      rounds,
      { name: quiet, turn: turn('nobody', undefined) },
    );
    reads.close();
    found.push({ connections, standings });
  }
  await child.close();
  return found;
}

class Reads {
  readonly #connections: readonly Connection[];
  readonly #documents: number;
  readonly #chance = chanceOf(7);

  private constructor(connections: readonly Connection[], documents: number) {
    this.#connections = connections;
    this.#documents = documents;
  }

  static async open(port: number, documents: number, count: number): Promise<Reads> {
    return new Reads(await Promise.all(Array.from({ length: count }, () => Connection.open(port))), documents);
  }

  drive(turnMs: number): Promise<Drive> {
    const free = [...this.#connections];
    return drive({ writers: free.length, turnMs }, async () => {
      const connection = free.pop() as Connection;
      const { status, head } = await connection.ask(readOf(this.#chance(this.#documents)));
      if (status !== 200) throw new Error(`The server answered: ${head}`);
      free.push(connection);
    });
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** A few documents whose arrays and texts cost more than their number lets expect. */
async function fillArrays(port: number): Promise<void> {
  const client = new CosmosClient({ endpoint: `http://127.0.0.1:${port}`, key: wellKnownKey });
  const definition = { id: arraysId, partitionKey: { paths: ['/id'], version: 2 } };
  const { container } = await client.database(databaseId).containers.createIfNotExists(definition);
  const numbers = Array.from({ length: 990 }, (_, n) => n);
  for (let n = 0; n < 50; n += 1) {
    await container.items.upsert({ id: `document-${n}`, numbers, text: 'a'.repeat(30_000) });
  }
  client.dispose();
}
