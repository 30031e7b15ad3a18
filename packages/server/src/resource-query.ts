// Queries over databases, containers, offers, users and so on: the same language over what is in memory, in the order of creation. They
// run as queries of documents do: so many at once, in slices, between which everybody else has a turn, and not for ever.

import type { Database } from '@tidemark/engine';
import { decodeQueryPlace, encodeQueryPlace, nobodyWaits, queryMsMax, querySliceMs } from '@tidemark/engine/internal';
import { DatabaseError, header } from '@tidemark/model';
import type { ResultPage } from '@tidemark/query';
import { QueryRun } from '@tidemark/query';
import type { HandlerContext } from './handler.ts';
import { itemsPerPageMax, pageBytesMax } from './limits.ts';
import { readQuery } from './query-request.ts';
import type { CosmosRequest } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';
import { untilGone } from './until-gone.ts';

/** Numbers only grow, so that what is created or deleted meanwhile moves nothing else. */
export interface Numbered {
  readonly number: number;
}

/** The JSON of a resource. */
export type Valued<T> = (item: T) => object | Promise<object>;

export interface RowPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  readonly continuation: string | undefined;
}

/** Without a number of items from the client, as many as there may be on any page. */
export async function queryResources<T extends Numbered>(
  request: CosmosRequest,
  { database, outgoing }: Pick<HandlerContext, 'database' | 'outgoing'>,
  all: readonly T[],
  shown: Valued<T>,
): Promise<RowPage> {
  const { queries } = database;
  const { text, parameters, prepared } = readQuery(request, (query, names) => queries.prepare(query, names));
  const name = `${request.path.kind} ${text} ${JSON.stringify(parameters)}`;
  const from = decodeQueryPlace(textOfHeader(request, header.continuation), name, nowhere)?.position;
  const run = new QueryRun(prepared.program, {
    parameters,
    context: queries.context(),
    itemsMax: textOfHeader(request, header.itemsMax) === undefined ? itemsPerPageMax : itemsMaxOf(request),
    bytesMax: pageBytesMax,
    from,
  });
  const hasResources = prepared.program.query.documentSlot !== undefined;
  const first = run.isBlocking ? 0 : (from?.rid ?? 0);
  const { rows, next } = await untilGone(outgoing, (signal) => {
    const work = (): Promise<ResultPage> => {
      if (!hasResources) run.addNothing();
      const seen = hasResources ? all.filter(({ number }) => number >= first) : [];
      return readPage(
        run,
        seen.sort((a, b) => a.number - b.number),
        shown,
        new Slices(queries, signal),
      );
    };
    return queries.run(run.isBlocking ? 'blocking' : 'streaming', work, signal);
  });
  return { rows, continuation: next === undefined ? undefined : encodeQueryPlace({ position: next }, name) };
}

async function readPage<T extends Numbered>(
  run: QueryRun,
  all: readonly T[],
  shown: Valued<T>,
  slices: Slices,
): Promise<ResultPage> {
  let isCut = false;
  for (const item of all) {
    const bytes = Buffer.from(JSON.stringify(await shown(item)));
    isCut = !run.add(bytes, 0, bytes.length - 1, item.number);
    if (isCut) break;
    await slices.next();
  }
  const steps = run.pageInSteps();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return isCut || run.isBlocking ? value : { ...value, next: undefined };
    await slices.next();
  }
}

/** The time of one query, cut so that others have a turn. */
class Slices {
  readonly #queries: Database['queries'];
  readonly #signal: AbortSignal;
  readonly #beganMs: number;
  #sliceMs: number;

  constructor(queries: Database['queries'], signal: AbortSignal) {
    this.#queries = queries;
    this.#signal = signal;
    this.#beganMs = queries.clock.monotonicMs();
    this.#sliceMs = this.#beganMs;
  }

  /** Others have a turn where a slice is over. Throws where the query has had all of its time, or nobody waits for it. */
  async next(): Promise<void> {
    const { clock, turns } = this.#queries;
    if (clock.monotonicMs() - this.#sliceMs < querySliceMs) return;
    await turns.next();
    this.#sliceMs = clock.monotonicMs();
    if (this.#signal.aborted) throw nobodyWaits();
    if (this.#sliceMs - this.#beganMs > queryMsMax) throw tookTooLong();
  }
}

function tookTooLong(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `The query had not come to its end after ${queryMsMax / 1000} seconds. Ask for less of each resource, or list them page by page.`,
  );
}

const nowhere = { min: '', max: '' };
