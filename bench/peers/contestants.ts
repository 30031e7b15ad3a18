// Who takes part, and what has to be known to read their figures: what an acknowledgement means, which client speaks, and
// what is not offered.

import type { WorkId } from './works.ts';

export type ContestantId =
  | 'tidemark-http'
  | 'tidemark-sdk'
  | 'tidemark-embedded'
  | 'tidemark-embedded-os'
  | 'postgres'
  | 'redis'
  | 'nats'
  | 'nats-always'
  | 'pouchdb'
  | 'vercel-http'
  | 'vercel';

export type Need = 'npm' | 'postgres' | 'redis' | 'nats';

export interface Contestant {
  readonly id: ContestantId;
  readonly name: string;
  /** What has happened to a write when it is acknowledged. */
  readonly durability: string;
  readonly client: string;
  readonly isTidemark: boolean;
  /** In the process of the load, which then has all cores. */
  readonly isEmbedded: boolean;
  readonly needs: readonly Need[];
  /** What it does not offer, or what nothing would be learnt from, and why. */
  readonly lacks: Readonly<Partial<Record<WorkId, string>>>;
}

const onDisk = 'on disk';
const writesOnly = 'only its writes differ from those of the line above';
const noFeed = 'it has no change feed: it lists all documents once, and says 304 ever after';

export const contestants: readonly Contestant[] = [
  {
    id: 'tidemark-http',
    name: 'Tidemark, HTTP',
    durability: onDisk,
    client: 'bare sockets and signed requests; the group: @tidemark/processor',
    isTidemark: true,
    isEmbedded: false,
    needs: [],
    lacks: {},
  },
  {
    id: 'tidemark-sdk',
    name: 'Tidemark, @azure/cosmos',
    durability: onDisk,
    client: '@azure/cosmos; the group: @tidemark/processor over it',
    isTidemark: true,
    isEmbedded: false,
    needs: [],
    lacks: {},
  },
  {
    id: 'tidemark-embedded',
    name: 'Tidemark, embedded',
    durability: onDisk,
    client: '@tidemark/engine in the process; the group: @tidemark/processor',
    isTidemark: true,
    isEmbedded: true,
    needs: [],
    lacks: {},
  },
  {
    id: 'tidemark-embedded-os',
    name: "Tidemark, embedded, sync 'os'",
    durability: 'page cache',
    client: '@tidemark/engine in the process',
    isTidemark: true,
    isEmbedded: true,
    needs: [],
    lacks: { 'catch-up': writesOnly, group: writesOnly, points: writesOnly, latency: writesOnly },
  },
  {
    id: 'postgres',
    name: 'PostgreSQL',
    durability: `${onDisk} (fsync, synchronous_commit)`,
    client: 'pg, a pool, prepared statements; latency: LISTEN and NOTIFY',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm', 'postgres'],
    lacks: {},
  },
  {
    id: 'redis',
    name: 'Redis Streams',
    durability: `${onDisk} (appendfsync always)`,
    client: 'ioredis, pipelined; the group: XREADGROUP and XACK',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm', 'redis'],
    lacks: {},
  },
  {
    id: 'nats',
    name: 'NATS JetStream',
    durability: 'page cache (file storage, flushed in the background)',
    client: '@nats-io/jetstream; the group: a durable pull consumer',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm', 'nats'],
    lacks: {},
  },
  {
    id: 'nats-always',
    name: 'NATS JetStream, sync always',
    durability: `${onDisk} (sync_interval always)`,
    client: '@nats-io/jetstream',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm', 'nats'],
    lacks: { 'catch-up': writesOnly, group: writesOnly, points: writesOnly, latency: writesOnly },
  },
  {
    id: 'pouchdb',
    name: 'PouchDB on LevelDB',
    durability: 'page cache (LevelDB without sync)',
    client: 'pouchdb in the process; the group: one loop, its place in a _local document',
    isTidemark: false,
    isEmbedded: true,
    needs: ['npm'],
    lacks: {},
  },
  {
    id: 'vercel-http',
    name: '@vercel/cosmosdb-server, HTTP',
    durability: 'memory only',
    client: 'the bare sockets that Tidemark is asked over',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm'],
    lacks: { 'catch-up': noFeed, group: noFeed, latency: noFeed },
  },
  {
    id: 'vercel',
    name: '@vercel/cosmosdb-server, SDK',
    durability: 'memory only',
    client: '@azure/cosmos',
    isTidemark: false,
    isEmbedded: false,
    needs: ['npm'],
    lacks: { 'catch-up': noFeed, group: noFeed, latency: noFeed },
  },
];

export function contestantOf(id: ContestantId): Contestant {
  return contestants.find((contestant) => contestant.id === id) as Contestant; // Every id has one.
}
