// A page of a query: documents out of a scan, into a run, until the page is full or there are no more.
//
//   streaming   rows come from one range, in the order of creation; the page ends where it is full, at the end of a range that had
//               rows, or when it has looked at as much as one page may; the next one goes on there
//   blocking    sorted, grouped, distinct, aggregates: all documents are seen, for each page again, which gives the rows behind
//               the last one of the page before. Nothing is held between pages
//
// Either works in slices, between which everybody else has a turn.

import { Buffer } from 'node:buffer';
import type { PartitionKeyDefinition } from '@tidemark/model';
import { DatabaseError, effectiveKey, encodePartitionKeyBytes } from '@tidemark/model';
import type { Position, PreparedQuery, ResultPage, RunOptions, Value } from '@tidemark/query';
import { checkOrderBy, idsOf, oneKeyOf, QueryRun, ridOfLastRow, withLastRow } from '@tidemark/query';
import { queryMsMax, queryPageDocumentsMax, queryPageMs, querySliceMs, scanBatchBytes } from '../limits.ts';
import type { RangeEngine, RangeInfo, ScannedDocument, Snapshot } from '../range-engine.ts';
import { lsnTailBytes } from '../write/system-places.ts';
import type { DocumentScope, ScannedBatch } from './document-scan.ts';
import { DocumentScan, isInScope, spanOf } from './document-scan.ts';
import type { KeyPlace } from './key-place.ts';
import type { QueryTools } from './queries.ts';
import { nobodyWaits } from './queries.ts';
import { nameOfQuery } from './query-name.ts';
import type { QueryPlace } from './query-place.ts';
import { decodeQueryPlace, encodeQueryPlace } from './query-place.ts';

export interface QueryPageRequest {
  readonly prepared: PreparedQuery;
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly scope: DocumentScope;
  readonly itemsMax: number;
  /** The same for a query that sees all documents for each page, where the client leaves it to us. */
  readonly blockingItemsMax?: number | undefined;
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
  const { resume, signal } = request;
  const name = nameOfQuery(container, request);
  const began = resume === undefined ? undefined : { position: resume };
  const from = decodeQueryPlace(request.continuation, name, spanOf(request.scope)) ?? began;
  const page = new Page(engine, container, tools, request, from);
  const { rows, next, range, tail, work } = page.isBlocking
    ? await tools.run('blocking', () => page.all(), signal)
    : await tools.run('streaming', () => page.some(), signal);
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
  readonly #engine: RangeEngine;
  readonly #container: number;
  readonly #tools: QueryTools;
  readonly #signal: AbortSignal | undefined;
  readonly #program: PreparedQuery['program'];
  readonly #options: RunOptions;
  #run: QueryRun;
  readonly #scope: DocumentScope;
  readonly #scan: DocumentScan;
  readonly #hasDocuments: boolean;
  readonly #work: QueryWork = { documents: 0, bytes: 0, totalMs: 0, loadMs: 0, runMs: 0 };
  /** When it got a place: to wait for one is no work. */
  #beganMs = 0;
  #sliceMs = 0;
  #range: RangeInfo;
  #tail: number;

  constructor(
    engine: RangeEngine,
    container: number,
    tools: QueryTools,
    request: QueryPageRequest,
    from: QueryPlace | undefined,
  ) {
    const { prepared, parameters, bytesMax, scope, blockingItemsMax } = request;
    const context = tools.context(engine.container(container).definition);
    const options: RunOptions = { parameters, context, itemsMax: request.itemsMax, bytesMax, from: from?.position };
    this.#engine = engine;
    this.#container = container;
    this.#tools = tools;
    this.#signal = request.signal;
    this.#program = prepared.program;
    const run = new QueryRun(this.#program, options);
    const isLarger = run.isBlocking && blockingItemsMax !== undefined;
    this.#options = isLarger ? { ...options, itemsMax: blockingItemsMax } : options;
    this.#run = isLarger ? new QueryRun(this.#program, this.#options) : run;
    this.#scope = scope;
    const definition = engine.container(container).definition.partitionKey;
    const partitionKey = scope.partitionKey ?? filteredKey(definition, prepared, parameters);
    const selected = {
      ...scope,
      ids: idsOf(prepared, parameters),
      ...(partitionKey !== undefined && { partitionKey }),
    };
    this.#scan = new DocumentScan(engine, container, selected, from?.keys);
    this.#hasDocuments = prepared.program.query.documentSlot !== undefined;
    this.#range = engine.range(container, scope.range ?? (engine.ranges(container)[0] as RangeInfo).id);
    this.#tail = this.#range.tailLsn;
  }

  get isBlocking(): boolean {
    return this.#run.isBlocking || !this.#hasDocuments;
  }

  /** Blocking. */
  all(): Promise<Result> {
    this.#begin();
    return this.#within((snapshot) => this.#all(snapshot));
  }

  /** Streaming. */
  async some(): Promise<Result> {
    this.#begin();
    for (;;) {
      const result = await this.#within((snapshot) => this.#some(snapshot));
      if (result !== undefined) return result;
    }
  }

  #begin(): void {
    this.#beganMs = this.#tools.clock.monotonicMs();
    this.#sliceMs = this.#beganMs;
  }

  /** All of it sees the documents as they are when it begins. */
  async #within<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#engine.snapshot(this.#container);
    try {
      return await work(snapshot);
    } finally {
      snapshot.close();
    }
  }

  async #all(snapshot: Snapshot): Promise<Result> {
    await this.#seeLastRow();
    if (!this.#hasDocuments) this.#run.addNothing();
    else {
      while (!this.#run.isFull) {
        const batch = await this.#next(snapshot);
        if (batch === undefined) break;
        await this.#addAll(batch);
        this.#checkWhole();
      }
    }
    const page = await this.#page();
    return this.#result(page, page.next && { position: page.next });
  }

  /** Undefined: the snapshot was lost before anything was seen. */
  async #some(snapshot: Snapshot): Promise<Result | undefined> {
    const start = this.#scan.place;
    for (;;) {
      const before = this.#scan.place;
      const batch = this.#run.isFull ? undefined : await this.#nextOfSome(snapshot);
      if (batch === 'lost') return before === start && !this.#hasWorkedEnough ? undefined : this.#cutAt(before);
      if (batch === undefined) return this.#result(this.#run.page(), undefined);
      const last = await this.#addAll(batch);
      if (last !== undefined) {
        // It is there: there was a batch.
        const place = before as KeyPlace;
        return this.#run.isFull
          ? this.#cutIn(last, batch, place)
          : this.#cutAt(this.#scan.placeBehind(last, batch, place));
      }
      if ((batch.isRangeEnd && this.#run.rowCount > 0) || this.#hasWorkedEnough) return this.#cutAt(this.#scan.place);
    }
  }

  /** `lost`: more is written than can be kept for the page; the next one has a moment of its own. */
  async #nextOfSome(snapshot: Snapshot): Promise<ScannedBatch | 'lost' | undefined> {
    try {
      return await this.#next(snapshot);
    } catch (error) {
      if (snapshot.isLost) return 'lost';
      throw error;
    }
  }

  /** Of the page before, where its keys are too long for a continuation. */
  async #seeLastRow(): Promise<void> {
    const rid = ridOfLastRow(this.#options.from);
    const document = rid === undefined ? undefined : await this.#engine.getByRid(this.#container, rid);
    const { partitionKey } = this.#engine.container(this.#container).definition;
    if (document === undefined || !isInScope(this.#scope, partitionKey, document)) return;
    const { bytes, lsn } = document;
    const from = withLastRow(this.#program, this.#options, bytes, bytes.length - lsnTailBytes(lsn));
    this.#run = new QueryRun(this.#program, { ...this.#options, from });
  }

  /** Within a document: the next page looks at it again, for it may have more rows. */
  #cutIn(last: ScannedDocument, batch: ScannedBatch, before: KeyPlace): Result {
    const page = this.#run.page();
    if (page.next === undefined) return this.#result(page, undefined);
    const { offsetLeft, limitLeft, rows = 0 } = page.next;
    const keys = this.#scan.placeIn(last, rows, batch, before);
    return this.#result(page, { position: { offsetLeft, limitLeft }, keys });
  }

  /** Between two documents. */
  #cutAt(keys: KeyPlace | undefined): Result {
    const page = this.#run.page();
    if (page.next === undefined || keys === undefined) return this.#result(page, undefined);
    const { offsetLeft, limitLeft } = page.next;
    return this.#result(page, { position: { offsetLeft, limitLeft }, keys });
  }

  async #next(snapshot: Snapshot): Promise<ScannedBatch | undefined> {
    this.#checkSignal();
    const { clock } = this.#tools;
    const beganMs = clock.monotonicMs();
    const batch = await this.#scan.next(scanBatchBytes, snapshot);
    this.#work.loadMs += clock.monotonicMs() - beganMs;
    if (batch !== undefined) {
      this.#range = batch.range;
      this.#tail = batch.tail;
      // It has cost something all the same.
      if (batch.documents.length === 0 && clock.monotonicMs() - this.#sliceMs >= querySliceMs) await this.#pause();
    }
    return batch;
  }

  /** Gives the document at which the page is full, or has worked enough. */
  async #addAll({ documents, begun }: ScannedBatch): Promise<ScannedDocument | undefined> {
    const { clock } = this.#tools;
    const work = this.#work;
    for (const document of documents) {
      const beganMs = clock.monotonicMs();
      const { bytes, lsn, ridNumber } = document;
      const shown = begun?.ridNumber === ridNumber ? begun.rows : 0;
      work.documents += 1;
      work.bytes += bytes.length;
      const goesOn = this.#run.add(bytes, 0, bytes.length - lsnTailBytes(lsn), ridNumber, shown);
      const endMs = clock.monotonicMs();
      work.runMs += endMs - beganMs;
      if (!goesOn) return document;
      if (endMs - this.#sliceMs < querySliceMs) continue;
      await this.#pause();
      if (this.isBlocking) this.#checkWhole();
      else if (this.#hasWorkedEnough) return document;
    }
    return undefined;
  }

  /** The rows of a blocking query. */
  async #page(): Promise<ResultPage> {
    const { clock } = this.#tools;
    const steps = this.#run.pageInSteps();
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (clock.monotonicMs() - this.#sliceMs < querySliceMs) continue;
      await this.#pause();
      this.#checkWhole();
    }
  }

  /** Between two slices: everybody else has a turn. */
  async #pause(): Promise<void> {
    const { clock, turns } = this.#tools;
    await turns.next();
    this.#sliceMs = clock.monotonicMs();
    this.#checkSignal();
  }

  #checkSignal(): void {
    if (this.#signal?.aborted) throw nobodyWaits();
  }

  #checkWhole(): void {
    if (this.#elapsedMs > queryMsMax) throw tookTooLong();
  }

  get #hasWorkedEnough(): boolean {
    return this.#elapsedMs > queryPageMs || this.#work.documents >= queryPageDocumentsMax;
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

/** The one partition key that the filter leaves: its documents are found without a look at others. */
function filteredKey(
  definition: PartitionKeyDefinition,
  prepared: PreparedQuery,
  parameters: readonly Value[],
): DocumentScope['partitionKey'] {
  const values = oneKeyOf(prepared, parameters, definition);
  return (
    values && {
      bytes: encodePartitionKeyBytes(values, Buffer.allocUnsafe),
      epk: effectiveKey(definition, values, Buffer.allocUnsafe),
    }
  );
}
