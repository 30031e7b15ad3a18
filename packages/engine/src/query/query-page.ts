// A page of a query: documents out of a scan, into a run, until the page is full or there are no more.
//
//   streaming   rows come from one range, in the order of creation; the page ends where it is full, at the end of a range that had
//               rows, or when it has looked at as much as one page may; the next one goes on there
//   blocking    sorted, grouped, distinct, aggregates: all documents are seen, for each page again, which gives the rows behind
//               the last one of the page before. Nothing is held between pages
//
// Either works in slices, between which everybody else has a turn.

import { DatabaseError } from '@tidemark/model';
import type { Position, PreparedQuery, ResultPage, RunOptions, Value } from '@tidemark/query';
import { checkOrderBy, QueryRun } from '@tidemark/query';
import { queryMsMax, queryPageDocumentsMax, queryPageMs, querySliceMs, scanBatchBytes } from '../limits.ts';
import type { RangeEngine, RangeInfo } from '../range-engine.ts';
import { lsnTailBytes } from '../write/system-places.ts';
import type { DocumentScope, ScannedBatch } from './document-scan.ts';
import { DocumentScan, spanOf } from './document-scan.ts';
import type { KeyPlace } from './key-place.ts';
import type { QueryTools } from './queries.ts';
import { nameOfQuery } from './query-name.ts';
import type { QueryPlace } from './query-place.ts';
import { decodeQueryPlace, encodeQueryPlace } from './query-place.ts';

export interface QueryPageRequest {
  readonly prepared: PreparedQuery;
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly scope: DocumentScope;
  readonly itemsMax: number;
  readonly bytesMax: number;
  readonly continuation?: string | undefined;
  /** Where the first page begins, if not at the first row. */
  readonly resume?: Position;
  readonly signal?: AbortSignal | undefined;
}

export interface QueryPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  /** Where the next page begins; undefined when there is none. A page may be empty and have one. */
  readonly continuation: string | undefined;
  /** The range that rows come from, or the last one that was looked at; its tail is what the page has seen. */
  readonly range: RangeInfo;
  readonly tail: number;
  readonly work: QueryWork;
}

/** What a page has cost. */
interface QueryWork {
  /** Documents that were read, and their bytes. */
  documents: number;
  bytes: number;
  /** Milliseconds, with fractions: altogether, for reading documents, for looking at them. */
  totalMs: number;
  loadMs: number;
  runMs: number;
}

export async function readQueryPage(
  engine: RangeEngine,
  container: number,
  tools: QueryTools,
  request: QueryPageRequest,
): Promise<QueryPage> {
  checkOrderBy(request.prepared, engine.container(container).definition.indexingPolicy);
  const { resume } = request;
  const name = nameOfQuery(container, request);
  const began = resume === undefined ? undefined : { position: resume };
  const from = decodeQueryPlace(request.continuation, name, spanOf(request.scope)) ?? began;
  const page = new Page(engine, container, tools, request, from);
  const { rows, next, range, tail, work } = page.isBlocking
    ? await tools.run('blocking', () => page.all())
    : await tools.run('streaming', () => page.some());
  return { rows, continuation: next === undefined ? undefined : encodeQueryPlace(next, name), range, tail, work };
}

interface Result {
  readonly rows: readonly string[];
  readonly next: QueryPlace | undefined;
  readonly range: RangeInfo;
  readonly tail: number;
  readonly work: QueryWork;
}

class Page {
  readonly #tools: QueryTools;
  readonly #signal: AbortSignal | undefined;
  readonly #run: QueryRun;
  readonly #scan: DocumentScan;
  readonly #hasDocuments: boolean;
  readonly #work: QueryWork = { documents: 0, bytes: 0, totalMs: 0, loadMs: 0, runMs: 0 };
  readonly #beganMs: number;
  #sliceMs: number;
  #range: RangeInfo;
  #tail: number;

  constructor(
    engine: RangeEngine,
    container: number,
    tools: QueryTools,
    request: QueryPageRequest,
    from: QueryPlace | undefined,
  ) {
    const { prepared, parameters, itemsMax, bytesMax, scope } = request;
    const context = tools.context(engine.container(container).definition);
    const options: RunOptions = { parameters, context, itemsMax, bytesMax, from: from?.position };
    this.#tools = tools;
    this.#signal = request.signal;
    this.#run = new QueryRun(prepared.program, options);
    this.#scan = new DocumentScan(engine, container, scope, from?.keys);
    this.#hasDocuments = prepared.program.query.documentSlot !== undefined;
    this.#beganMs = tools.clock.monotonicMs();
    this.#sliceMs = this.#beganMs;
    this.#range = engine.range(container, scope.range ?? (engine.ranges(container)[0] as RangeInfo).id);
    this.#tail = this.#range.tailLsn;
  }

  get isBlocking(): boolean {
    return this.#run.isBlocking || !this.#hasDocuments;
  }

  /** Blocking. */
  async all(): Promise<Result> {
    if (!this.#hasDocuments) this.#run.addNothing();
    else {
      while (!this.#run.isFull) {
        const batch = await this.#next();
        if (batch === undefined) break;
        await this.#addAll(batch);
        if (this.#elapsedMs > queryMsMax) throw tookTooLong();
      }
    }
    const page = this.#run.page();
    return this.#result(page, page.next && { position: page.next });
  }

  /** Streaming. */
  async some(): Promise<Result> {
    for (;;) {
      const before = this.#scan.place;
      const batch = this.#run.isFull ? undefined : await this.#next();
      if (batch === undefined) return this.#result(this.#run.page(), undefined);
      const last = await this.#addAll(batch);
      // It is there: there was a batch.
      if (last !== undefined) return this.#cutAt(this.#scan.placeOf(last, batch, before as KeyPlace));
      const isEnough =
        (batch.isRangeEnd && this.#run.rowCount > 0) ||
        this.#elapsedMs > queryPageMs ||
        this.#work.documents >= queryPageDocumentsMax;
      if (isEnough) return this.#cutBehind();
    }
  }

  /** Within a document: the next page looks at it again, for it may have more rows. */
  #cutAt(keys: KeyPlace): Result {
    const page = this.#run.page();
    return this.#result(page, page.next && { position: page.next, keys });
  }

  /** Between two documents. */
  #cutBehind(): Result {
    const page = this.#run.page();
    const keys = this.#scan.place;
    if (page.next === undefined || keys === undefined) return this.#result(page, undefined);
    const { offsetLeft, limitLeft } = page.next;
    return this.#result(page, { position: { offsetLeft, limitLeft }, keys });
  }

  async #next(): Promise<ScannedBatch | undefined> {
    if (this.#signal?.aborted) throw new DatabaseError('request-timeout', 'Nobody waits for this query any more.');
    const { clock } = this.#tools;
    const beganMs = clock.monotonicMs();
    const batch = await this.#scan.next(scanBatchBytes);
    this.#work.loadMs += clock.monotonicMs() - beganMs;
    if (batch !== undefined) {
      this.#range = batch.range;
      this.#tail = batch.tail;
    }
    return batch;
  }

  /** Gives the document at which the page is full. */
  async #addAll({ documents }: ScannedBatch): Promise<ScannedBatch['documents'][number] | undefined> {
    const { clock, turns } = this.#tools;
    const work = this.#work;
    for (const document of documents) {
      const beganMs = clock.monotonicMs();
      const { bytes, lsn, ridNumber } = document;
      work.documents += 1;
      work.bytes += bytes.length;
      const goesOn = this.#run.add(bytes, 0, bytes.length - lsnTailBytes(lsn), ridNumber);
      const endMs = clock.monotonicMs();
      work.runMs += endMs - beganMs;
      if (!goesOn) return document;
      if (endMs - this.#sliceMs < querySliceMs) continue;
      await turns.next();
      this.#sliceMs = clock.monotonicMs();
    }
    return undefined;
  }

  get #elapsedMs(): number {
    return this.#tools.clock.monotonicMs() - this.#beganMs;
  }

  #result({ rows }: ResultPage, next: QueryPlace | undefined): Result {
    this.#work.totalMs = this.#elapsedMs;
    return { rows, next, range: this.#range, tail: this.#tail, work: this.#work };
  }
}

function tookTooLong(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `The query sorts, groups or counts, so it needs all documents before its first row, and had not seen them after ${queryMsMax / 1000} seconds. ` +
      'Let its filter name a partition key, or read the documents page by page.',
  );
}
