// What the command line of the bench asks for.

import { parseArgs } from 'node:util';
import type { ContestantId } from './contestants.ts';
import { contestants } from './contestants.ts';
import type { QuestionId } from './questions.ts';
import { questions } from './questions.ts';

const sizesByDefault: readonly number[] = [20_000, 1_000_000];
const quickSizes: readonly number[] = [10_000];
const documentsMin = 1_000;

export const usage: string = `npm run bench:query -- [--quick] [--documents N,…] [--only QUESTION,…] [--peers NAME,…] [--folder PATH] [--publish]
  --quick      under a minute once the peers are there: ${quickSizes.join(', ')} documents, short turns; for a look, not for figures
  --documents  sizes of the databases, one after the other (default: ${sizesByDefault.join(',')})
  --only       of ${questions.map(({ id }) => id).join(', ')}, and hostile: what others see of it when queries are hostile
  --peers      of ${contestants.map(({ id }) => id).join(', ')}
  --folder     where the data goes (default: data/bench-query, removed at the end; some 8 GB for a million documents); PostgreSQL does
               not run as root and then needs a folder that the user nobody can reach
  --publish    writes the tables of docs/performance.md
The first run downloads the peers into bench/peers/.peers, from npm and as Debian packages that are only unpacked there;
later runs need no network. Results go to data/bench-query.json too.`;

export interface QueryBenchOptions {
  readonly isQuick: boolean;
  readonly sizes: readonly number[];
  readonly questions: readonly QuestionId[];
  readonly isHostile: boolean;
  readonly contestants: readonly ContestantId[];
  readonly folder: string;
  readonly isPublished: boolean;
  /** Turns that everybody has at each question; the median counts. */
  readonly rounds: number;
  /** How long a turn lasts at least: what is asked is asked to its end. */
  readonly turnMs: number;
}

export function readQueryOptions(args: readonly string[], folder: string): QueryBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      documents: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      peers: { type: 'string', default: '' },
      folder: { type: 'string', default: folder },
      publish: { type: 'boolean', default: false },
    },
  });
  const isQuick = values.quick;
  const wanted = chosen('--only', values.only, [...questions, { id: 'hostile' as const }]);
  return {
    isQuick,
    sizes: sizesOf(values.documents, isQuick),
    questions: wanted.filter((id) => id !== 'hostile'),
    isHostile: wanted.includes('hostile'),
    contestants: chosen('--peers', values.peers, contestants),
    folder: values.folder,
    isPublished: values.publish,
    rounds: isQuick ? 3 : 7,
    turnMs: isQuick ? 150 : 1_000,
  };
}

function sizesOf(text: string, isQuick: boolean): readonly number[] {
  if (text === '') return isQuick ? quickSizes : sizesByDefault;
  const sizes = text.split(',').map(Number);
  if (sizes.every((size) => Number.isInteger(size) && size >= documentsMin)) return sizes;
  throw new Error(`--documents takes whole numbers from ${documentsMin} on, with commas between them.`);
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
