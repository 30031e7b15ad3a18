// The corpus of the query language, loaded into containers of a real server, and what a client makes of a case of it.
//
// Cases with the same documents share a container, for no case writes.

import type { Container, Database } from '@tidemark/engine';
import type { CorpusCase } from '../packages/query/test/corpus.ts';
import { readCorpus } from '../packages/query/test/corpus.ts';
import type { Outcome } from '../packages/query/test/corpus-outcome.ts';
import { comparable, expected } from '../packages/query/test/corpus-outcome.ts';
import { isLong } from '../packages/testing/src/sizes.ts';
import type { AskAll, SentQuery } from './query-clients.ts';

/** In the long form rows come one by one and all at once as well; here that is asked of one client, by plain requests. */
export const pageSizes: readonly number[] = isLong ? [1, 2, 1000] : [2];

export interface LoadedCase {
  readonly name: string;
  readonly sent: SentQuery;
  /** The id of the container, in the database `db`. */
  readonly container: string;
  readonly corpus: CorpusCase;
}

export class LoadedCorpus {
  readonly cases: readonly LoadedCase[];
  readonly #containers: readonly Container[];

  private constructor(cases: readonly LoadedCase[], containers: readonly Container[]) {
    this.cases = cases;
    this.#containers = containers;
  }

  /** `prefix`: of the ids of its containers. */
  static async load(database: Database, prefix: string, rangeCount: number): Promise<LoadedCorpus> {
    const containers = new Map<string, Container>();
    const cases: LoadedCase[] = [];
    for (const corpus of readCorpus()) {
      const text = JSON.stringify(corpus.documents);
      const container =
        containers.get(text) ?? (await fill(database, `${prefix}${containers.size}`, rangeCount, corpus));
      containers.set(text, container);
      // Any JSON may be the value of a parameter.
      const parameters = (corpus.parameters ?? []) as SentQuery['parameters'];
      cases.push({
        name: corpus.name,
        sent: { query: corpus.query, parameters },
        container: container.info.id,
        corpus,
      });
    }
    return new LoadedCorpus(cases, [...containers.values()]);
  }

  /** The first range of each container. */
  async split(): Promise<void> {
    for (const container of this.#containers) await container.split(container.ranges[0]?.id ?? '');
  }

  /** The first two ranges of each container. */
  async merge(): Promise<void> {
    for (const container of this.#containers) {
      const [left, right] = container.ranges;
      await container.merge(left?.id ?? '', right?.id ?? '');
    }
  }

  get rangeCount(): number {
    return this.#containers[0]?.ranges.length ?? 0;
  }
}

async function fill(database: Database, id: string, rangeCount: number, { documents }: CorpusCase): Promise<Container> {
  const partitionKey = { paths: ['/id'], kind: 'Hash', version: 2 };
  const container = await database.createContainer('db', { id, partitionKey }, { ranges: rangeCount });
  for (const document of documents) await container.create(document as { id: string });
  return container;
}

export interface Asking {
  readonly itemsMax: number;
  /** Also cases of one document, which the long form asks for in any way: it is in one range, whoever puts the rows together. */
  readonly isWhole?: boolean;
  /** Cases that the client's own pipeline cannot do, with the reason. Each has to fail, or it has no reason to be there. */
  readonly cannot?: Readonly<Record<string, string>>;
  /** Cases that it does or does not, as the ranges happen to answer: these are left out. */
  readonly varying?: readonly string[];
}

/** What is not as the corpus says, a line each. */
export async function differences(
  corpus: LoadedCorpus,
  ask: AskAll,
  { itemsMax, isWhole = isLong, cannot = {}, varying = [] }: Asking,
): Promise<string[]> {
  const found: string[] = [];
  const all = corpus.cases.filter((each) => isWhole || each.corpus.documents.length !== 1);
  const cases = all.filter(({ name }) => !varying.includes(name));
  for (const each of cases) {
    // Rows of several ranges come range by range.
    const isOrdered = corpus.rangeCount === 1 || each.sent.query.includes('ORDER BY');
    const difference = differenceOf(each, await ask(each.container, each.sent, itemsMax), isOrdered);
    const isListed = cannot[each.name] !== undefined;
    if (difference === undefined && isListed) found.push(`${each.name}: is right, and is said not to be`);
    if (difference !== undefined && !isListed) found.push(`${each.name}: ${difference}`);
  }
  return found;
}

/** Undefined where there is none. */
function differenceOf({ corpus }: LoadedCase, outcome: Outcome, isOrdered: boolean): string | undefined {
  const judged = isOrdered ? corpus : { ...corpus, unordered: true };
  const found = JSON.stringify(comparable(outcome, judged));
  const wanted = JSON.stringify(expected(judged));
  return found === wanted ? undefined : `${found}, not ${wanted}`;
}
