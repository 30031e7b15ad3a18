// One page of a query: documents go in, in the order of their rids within a range; rows come out.
//
// A query that only filters and projects is streaming: a page ends where it is full, and the next one goes on behind its last row.
// Every other is blocking: each page sees all documents, and gives the rows behind the last one of the page before.

import { Buffer } from 'node:buffer';
import type { BlockCounts } from '../bind/bound.ts';
import type { Program, ProgramBlock } from '../compile/program.ts';
import { Row } from '../compile/row.ts';
import { StoredDocument } from '../compile/stored-document.ts';
import type { FunctionContext } from '../functions/query-function.ts';
import type { Value } from '../value/value.ts';
import { isArray } from '../value/value.ts';
import { ValueSet } from '../value/value-set.ts';
import { bounded } from '../value/value-size.ts';
import { AllRows, CountedRows } from './all-rows.ts';
import type { Collector } from './collector.ts';
import { DistinctRows } from './distinct-rows.ts';
import { DistinctSortedRows } from './distinct-sorted-rows.ts';
import { Groups } from './groups.ts';
import type { RowLimits } from './limits-of-block.ts';
import { rowLimits } from './limits-of-block.ts';
import type { Position } from './position.ts';
import { SortedRows } from './sorted-rows.ts';
import { StreamedRows } from './streamed-rows.ts';

export interface RunOptions {
  readonly parameters: readonly Value[];
  readonly context: FunctionContext;
  readonly itemsMax: number;
  readonly bytesMax: number;
  /** Where the page before ended; undefined for the first one. */
  readonly from: Position | undefined;
}

export interface ResultPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  /** Where the next page begins; undefined when there is none. Of a streaming query also where the reader has stopped before. */
  readonly next: Position | undefined;
}

interface Stage {
  readonly block: ProgramBlock;
  readonly limits: RowLimits;
  readonly collector: Collector | StreamedRows;
}

export class QueryRun {
  /** Whether every document has to be seen before there is a row. */
  readonly isBlocking: boolean;
  readonly #options: RunOptions;
  readonly #document: StoredDocument;
  readonly #row: Row;
  /** From the block of the container to the outermost one; mostly there is one. */
  readonly #stages: readonly Stage[];
  readonly #limits: RowLimits;
  /** The row that came last to the outermost block, among those of its document. */
  #place = 0;
  /** Of the document that is looked at: rows that were on a page before. */
  #shown = 0;
  /** Whether nothing can come any more. */
  #isEnded = false;
  /** What is selected of groups, each value once. */
  #distinctGroups: DistinctRows | undefined;

  /** `collector`: what becomes of its rows, if not a result. */
  constructor(program: Program, options: RunOptions, collector?: Collector) {
    const { query, names, block } = program;
    this.#options = options;
    this.#document = new StoredDocument(names);
    this.#row = new Row(this.#document, query.slotCount, options.parameters, options.context);
    const limitsOf = (counts: BlockCounts): RowLimits => rowLimits(counts, query.parameterPlaces, options.parameters);
    for (const counts of query.counts) limitsOf(counts);
    const { offset, limit } = limitsOf(block.bound);
    this.#limits = { offset: options.from?.offsetLeft ?? offset, limit: options.from?.limitLeft ?? limit };
    const within = innerBlocks(block);
    this.isBlocking = within.some((one) => !isPlain(one)) || !isStreaming(block);
    this.#stages = [
      ...within.map((one) => ({ block: one, limits: limitsOf(one.bound), collector: this.#inner(one) })),
      { block, limits: this.#limits, collector: collector ?? this.#outermost(block, !within.every(isPlain)) },
    ];
  }

  /** Whether nothing that comes later can be on the page. */
  get isFull(): boolean {
    const { collector } = this.#stages.at(-1) as Stage;
    return this.#limits.limit === 0 || (collector instanceof StreamedRows && collector.isFull);
  }

  /** Of a streaming query: the rows that it has so far. */
  get rowCount(): number {
    const { collector } = this.#stages.at(-1) as Stage;
    return collector instanceof StreamedRows ? collector.texts.length : 0;
  }

  /** A query without FROM, or of no documents at all, has one row all the same. False: the page is full. */
  addNothing(): boolean {
    if (this.isFull) return false;
    this.#shown = this.#shownOf(this.#document.rid);
    this.#begin();
    this.#rowsOf(this.#stages.length - 1);
    this.#isEnded = !this.isFull;
    return this.#isEnded;
  }

  /**
   * The document at [start, …), whose last member ends at `membersEnd`. False: the page is full. `shown`: of a streaming query, so many
   * of its rows were on a page before.
   */
  add(bytes: Buffer, start: number, membersEnd: number, rid: number, shown: number = this.#shownOf(rid)): boolean {
    if (this.isFull) return false;
    this.#document.show(bytes, start, membersEnd, rid);
    this.#shown = shown;
    this.#begin();
    this.#rowsOf(0);
    return !this.isFull;
  }

  /** When no more documents come for this page. */
  page(): ResultPage {
    const steps = this.pageInSteps();
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** The same, for who lets others have a turn meanwhile: a step takes as long as a document does. */
  *pageInSteps(): Generator<void, ResultPage, void> {
    for (const [at, { block, collector, limits }] of this.#stages.entries()) {
      if (at === this.#stages.length - 1 || isPlain(block) || collector instanceof StreamedRows) continue;
      const results = collector.results();
      const seen = block.bound.isDistinct ? new ValueSet() : undefined;
      const last = limits.offset + limits.limit;
      for (let place = 0, given = 0; place < results.length && given < last; place += 1) {
        const { value } = results.row(place);
        yield;
        if (value === undefined || seen?.add(value) === false) continue;
        given += 1;
        if (given <= limits.offset) continue;
        this.#begin();
        this.#pass(at, value);
        yield;
      }
    }
    const { collector } = this.#stages.at(-1) as Stage;
    if (collector instanceof StreamedRows) return this.#cutStream(collector);
    if (this.#distinctGroups === undefined) return yield* this.#cutWhole(collector);
    const groups = collector.results();
    for (let place = 0; place < groups.length; place += 1) {
      this.#distinctGroups.addValue(groups.row(place).value);
      yield;
    }
    return yield* this.#cutWhole(this.#distinctGroups);
  }

  #shownOf(rid: number): number {
    const { from } = this.#options;
    return from?.rid === rid ? (from.rows ?? 0) : 0;
  }

  #begin(): void {
    this.#row.begin();
    this.#place = 0;
  }

  #inner(block: ProgramBlock): Collector {
    const { isGrouped, isDistinct, orderBy } = block.bound;
    const most = Number.POSITIVE_INFINITY;
    if (isGrouped) return new Groups(block, this.#row, most, undefined);
    if (!isDistinct || orderBy.length === 0) return new AllRows(block, this.#row.memory);
    return new DistinctSortedRows(block, this.#row.memory, { most, after: undefined, isNested: false });
  }

  #outermost(block: ProgramBlock, isNested: boolean): Collector | StreamedRows {
    const { itemsMax, bytesMax, from } = this.#options;
    const { memory } = this.#row;
    const { isGrouped, isDistinct, orderBy } = block.bound;
    const isSorted = orderBy.length > 0;
    const after = from?.after !== undefined && !('rows' in from.after) ? from.after : undefined;
    const { offset, limit } = this.#limits;
    const most = Math.min(itemsMax, limit) + offset;
    if (isGrouped && !isDistinct) return new Groups(block, this.#row, most, after);
    if (isGrouped) {
      this.#distinctGroups = new DistinctRows(block, memory, most, after);
      return new Groups(block, this.#row, Number.POSITIVE_INFINITY, undefined);
    }
    if (isDistinct && isSorted) return new DistinctSortedRows(block, memory, { most, after, isNested });
    if (isDistinct) return new DistinctRows(block, memory, most, after);
    if (isSorted) {
      const page = { most, bytesMax: offset > 0 ? Number.POSITIVE_INFINITY : bytesMax, isNested };
      return new SortedRows(block, memory, page, after);
    }
    if (!this.isBlocking) return new StreamedRows(block, Math.min(itemsMax, limit), bytesMax, offset);
    return new CountedRows(this.#inner(block), from?.after);
  }

  /** The rows of one stage for what the row holds now. */
  #rowsOf(at: number): boolean {
    const { block, collector } = this.#stages[at] as Stage;
    const isOutermost = at === this.#stages.length - 1;
    const isPassedOn = !isOutermost && isPlain(block);
    const skipped = this.isBlocking ? 0 : this.#shown;
    return block.rows(this.#row, (row) => {
      row.count();
      if (block.where !== undefined && !block.where(row)) return true;
      if (isPassedOn) {
        const value = block.select(row);
        return value === undefined || this.#pass(at, value);
      }
      if (!isOutermost) return collector.add(row, 0);
      this.#place += 1;
      return this.#place <= skipped || collector.add(row, this.#place);
    });
  }

  /** A row of one stage to the next one. */
  #pass(at: number, value: Value): boolean {
    const inner = (this.#stages[at + 1] as Stage).block.inner;
    if (inner === undefined) return true;
    const { slots } = this.#row;
    if (!inner.isEach) {
      slots[inner.slot] = bounded(value);
      return this.#rowsOf(at + 1);
    }
    if (!isArray(value)) return true;
    return value.every((element) => {
      slots[inner.slot] = element;
      return this.#rowsOf(at + 1);
    });
  }

  #cutStream({ texts, last, offsetLeft }: StreamedRows): ResultPage {
    const limitLeft = this.#limits.limit - texts.length;
    if (limitLeft <= 0 || this.#isEnded) return { rows: texts, next: undefined };
    const { from } = this.#options;
    const place = last === undefined ? { rid: from?.rid, rows: from?.rows } : { rid: last.rid, rows: last.row };
    return { rows: texts, next: { offsetLeft, ...finite({ limitLeft }), ...(place.rid !== undefined && place) } };
  }

  *#cutWhole(collector: Collector): Generator<void, ResultPage, void> {
    const { itemsMax, bytesMax } = this.#options;
    const { offset, limit } = this.#limits;
    const results = collector.results();
    const rows: string[] = [];
    let bytes = 0;
    let end = 0;
    let offsetLeft = offset;
    while (end < results.length && rows.length < Math.min(itemsMax, limit) && (bytes < bytesMax || rows.length === 0)) {
      const { text } = results.row(end);
      end += 1;
      yield;
      if (text === undefined) continue;
      if (offsetLeft > 0) {
        offsetLeft -= 1;
        continue;
      }
      rows.push(text);
      bytes += Buffer.byteLength(text);
    }
    const limitLeft = limit - rows.length;
    // It has seen everything. Wire: clients that put groups together begin anew at an empty page, without end.
    const hasMore = end < results.length || collector.isCut;
    if (limitLeft <= 0 || !hasMore) return { rows, next: undefined };
    return { rows, next: { offsetLeft, ...finite({ limitLeft }), after: collector.after(end) } };
  }
}

function finite({ limitLeft }: { readonly limitLeft: number }): Pick<Position, 'limitLeft'> {
  return Number.isFinite(limitLeft) ? { limitLeft } : {};
}

/** The blocks that an outermost block reads from, the one of the container first. */
function innerBlocks({ inner }: ProgramBlock): readonly ProgramBlock[] {
  return inner === undefined ? [] : [...innerBlocks(inner.block), inner.block];
}

/** Rows go on as they come. */
function isStreaming({ bound }: ProgramBlock): boolean {
  return !bound.isGrouped && !bound.isDistinct && bound.orderBy.length === 0;
}

/** The same, and all of them. */
function isPlain(block: ProgramBlock): boolean {
  const { top, offset, limit } = block.bound;
  return isStreaming(block) && top === undefined && offset === undefined && limit === undefined;
}
