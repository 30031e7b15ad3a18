// What the command line of the bench asks for.

import { parseArgs } from 'node:util';
import type { ContestantId } from './contestants.ts';
import { contestants } from './contestants.ts';
import type { WorkId } from './works.ts';
import { works } from './works.ts';

const documentsByDefault = 50_000;
const quickDocuments = 4_000;
const documentsMin = 1_000;

export const usage: string = `npm run bench:peers -- [--quick] [--rounds N] [--only WORK,…] [--peers NAME,…] [--documents N] [--folder PATH] [--publish]
  --quick      under a minute once the peers are there: short turns, ${quickDocuments} documents; for a look, not for figures
  --rounds     turns that everybody has at each work (default: 3); the median counts, the spread is shown
  --only       of ${works.map(({ id }) => id).join(', ')}
  --peers      of ${contestants.map(({ id }) => id).join(', ')}
  --documents  that are in each database before anything is measured (default: ${documentsByDefault}; with --quick ${quickDocuments})
  --folder     where the data goes (default: data/bench-peers, removed at the end); PostgreSQL does not run as root and
               then needs a folder that the user nobody can reach
  --publish    writes docs/charts/peers.svg, docs/charts/peers.json and the table in README.md
The first run downloads the peers into bench/peers/.peers, from npm and as Debian packages that are only unpacked there;
later runs need no network. Results go to data/bench-peers.json too.`;

export interface PeersOptions {
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly works: readonly WorkId[];
  readonly contestants: readonly ContestantId[];
  readonly documents: number;
  readonly folder: string;
  readonly isPublished: boolean;
  /** How long a turn of writes or point reads lasts. */
  readonly turnMs: number;
  /** Before the first work of a kind, and before the others. */
  readonly warmUpMs: number;
  readonly warmUpLaterMs: number;
  /** Writes of a turn that measures latency, and the pause between two of them. */
  readonly latencyWrites: number;
  readonly latencyPauseMs: number;
}

export function readPeersOptions(args: readonly string[], folder: string): PeersOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      peers: { type: 'string', default: '' },
      documents: { type: 'string' },
      folder: { type: 'string', default: folder },
      publish: { type: 'boolean', default: false },
    },
  });
  const isQuick = values.quick;
  return {
    isQuick,
    rounds: numberOf('--rounds', values.rounds, 1),
    works: chosen('--only', values.only, works),
    contestants: chosen('--peers', values.peers, contestants),
    documents: numberOf(
      '--documents',
      values.documents ?? (isQuick ? quickDocuments : documentsByDefault),
      documentsMin,
    ),
    folder: values.folder,
    isPublished: values.publish,
    turnMs: isQuick ? 100 : 1_200,
    warmUpMs: isQuick ? 350 : 2_000,
    warmUpLaterMs: isQuick ? 50 : 300,
    latencyWrites: isQuick ? 25 : 200,
    latencyPauseMs: 3,
  };
}

function numberOf(flag: string, text: string | number, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`${flag} takes a whole number from ${least} on.`);
  return value;
}

function chosen<Id extends string>(flag: string, text: string, all: readonly { readonly id: Id }[]): readonly Id[] {
  const ids = all.map(({ id }) => id);
  if (text === '') return ids;
  const names = text.split(',');
  for (const name of names) {
    if (!ids.some((id) => id === name)) throw new Error(`${flag}: there is no ${name}, only ${ids.join(', ')}.`);
  }
  return ids.filter((id) => names.includes(id));
}
