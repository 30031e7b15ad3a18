// How much is proven. `npm test` has the short form of everything; `npm run proof` runs the same tests in their long form, and fresh
// parts beside them, whose seeds are drawn anew with every commit.

/** Whether this is the long form. Names that begin with TIDEMARK_ are settings of the server. */
export const isLong: boolean = process.env['PROOF_LENGTH'] === 'long';

export type SizeName =
  | 'worlds'
  | 'freshWorlds'
  | 'histories'
  | 'freshHistories'
  | 'powerCuts'
  | 'powerCutsWithLmdb'
  | 'powerCutsUnflushed'
  | 'processCuts'
  | 'freshPowerCuts'
  | 'kills'
  | 'freshKills'
  | 'requests'
  | 'freshRequests'
  | 'streams'
  | 'freshStreams'
  | 'propertyRounds'
  | 'documentTexts'
  | 'flights'
  | 'serverKills'
  | 'hostSteps'
  | 'faultyWrites'
  | 'soakWindows'
  | 'stepFactor';

/** Of what is called fresh there is none in the short form. */
const table: Readonly<Record<SizeName, readonly [short: number, long: number]>> = {
  /** Worlds of the processor, from seed 1 on. */
  worlds: [100, 2_000],
  freshWorlds: [0, 3_000],
  /** Histories of the engine beside its model. */
  histories: [25, 200],
  freshHistories: [0, 300],
  /** Power cuts with everything flushed; and how many of them in each other setting. */
  powerCuts: [500, 10_000],
  powerCutsWithLmdb: [25, 200],
  powerCutsUnflushed: [100, 1_000],
  processCuts: [100, 500],
  freshPowerCuts: [0, 2_000],
  /** Processes that are killed while they write. */
  kills: [20, 100],
  freshKills: [0, 60],
  /** Hostile requests. */
  requests: [5_000, 100_000],
  freshRequests: [0, 50_000],
  /** Streams of bytes to our reader of HTTP and to that of Node. */
  streams: [5_000, 20_000],
  freshStreams: [0, 60_000],
  /** How often each property is tried, with another seed each time. */
  propertyRounds: [1, 6],
  /** Texts that look like documents, and lives of an index while its transactions are under way. */
  documentTexts: [1_000, 10_000],
  flights: [50, 300],
  /** `npm run reliability` without a length. */
  serverKills: [4, 20],
  hostSteps: [2, 7],
  faultyWrites: [100, 300],
  soakWindows: [6, 16],
  /** As how many each step of a query counts where queries come to the bound of them: all of them would take a minute. */
  stepFactor: [500, 125],
};

export function sizeOf(name: SizeName, isOfLong: boolean = isLong): number {
  return table[name][isOfLong ? 1 : 0];
}
