// Who is asked, and what has to be known to read their figures.

export type ContestantId = 'embedded' | 'embedded-4' | 'sdk' | 'postgres' | 'sqlite' | 'vercel';

export interface Contestant {
  readonly id: ContestantId;
  readonly name: string;
  readonly setting: string;
  readonly isTidemark: boolean;
  readonly needs: readonly ('npm' | 'postgres')[];
  /** Of larger databases it is not asked. */
  readonly documentsMax?: number;
}

export const contestants: readonly Contestant[] = [
  {
    id: 'embedded',
    name: 'Tidemark, embedded',
    setting: '`container.query` in the process, one range',
    isTidemark: true,
    needs: [],
  },
  {
    id: 'embedded-4',
    name: 'Tidemark, embedded, 4 ranges',
    setting: 'the same with four ranges',
    isTidemark: true,
    needs: [],
  },
  {
    id: 'sdk',
    name: 'Tidemark, @azure/cosmos',
    setting: '`tidemark serve` with one range, asked through the official client',
    isTidemark: true,
    needs: [],
  },
  {
    id: 'postgres',
    name: 'PostgreSQL',
    setting:
      '`jsonb`, `pg`, prepared statements, 512 MB of shared buffers; two workers beside the leader, as is its default',
    isTidemark: false,
    needs: ['npm', 'postgres'],
  },
  {
    id: 'sqlite',
    name: 'SQLite',
    setting: '`jsonb`, `libsql` in the process, the whole file mapped',
    isTidemark: false,
    needs: ['npm'],
  },
  {
    id: 'vercel',
    name: '@vercel/cosmosdb-server',
    setting: 'in memory, asked through the official client',
    isTidemark: false,
    needs: ['npm'],
    documentsMax: 20_000,
  },
];

export function contestantOf(id: ContestantId): Contestant {
  return contestants.find((contestant) => contestant.id === id) as Contestant; // Every id has one.
}
