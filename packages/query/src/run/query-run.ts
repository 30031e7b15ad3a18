// One page of a query: documents go in, in the order of their rids within a range; rows come out.
//
// A query that only filters and projects is streaming: a page ends where it is full, and the next one goes on behind its last row.
// Every other is blocking: each page sees all documents, and gives the rows behind the last one of the page before.

import type { Buffer } from 'node:buffer';
import type { BlockCounts } from '../bind/bound.ts';
import type { Program, ProgramBlock } from '../compile/program.ts';
import { Row } from '../compile/row.ts';
import { StoredDocument } from '../compile/stored-document.ts';
import type { FunctionContext } from '../functions/query-function.ts';
import type { Value } from '../value/value.ts';
import { isArray } from '../value/value.ts';
import { bounded } from '../value/value-size.ts';
import { AllRows, CountedRows, distinctOf } from './all-rows.ts';
import type { Collector } from './collector.ts';
import { DistinctRows } from './distinct-rows.ts';
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
  /** Whether nothing can come any more. */
  #isEnded = false;

  constructor(program: Program, options: RunOptions) {
    const { query, names, block } = program;
    this.#options = options;
    this.#document = new StoredDocument(names);
    this.#row = new Row(this.#document, query.slotCount, options.parameters, options.context);
    const limitsOf = (counts: BlockCounts): RowLimits => rowLimits(counts, query.parameterNames, options.parameters);
    for (const counts of query.counts) limitsOf(counts);
    const { offset, limit } = limitsOf(block.bound);
    this.#limits = { offset: options.from?.offsetLeft ?? offset, limit: options.from?.limitLeft ?? limit };
    const within = innerBlocks(block);
    this.isBlocking = within.some((one) => !isPlain(one)) || !isStreaming(block);
    this.#stages = [
      ...within.map((one) => ({ block: one, limits: limitsOf(one.bound), collector: this.#inner(one) })),
      { block, limits: this.#limits, collector: this.#outermost(block, within.length > 0) },
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
    this.#begin();
    this.#rowsOf(this.#stages.length - 1);
    this.#isEnded = !this.isFull;
    return this.#isEnded;
  }

  /** The document at [start, …), whose last member ends at `membersEnd`. False: the page is full. */
  add(bytes: Buffer, start: number, membersEnd: number, rid: number): boolean {
    if (this.isFull) return false;
    this.#document.show(bytes, start, membersEnd, rid);
    this.#begin();
    this.#rowsOf(0);
    return !this.isFull;
  }

  /** When no more documents come for this page. */
  page(): ResultPage {
    for (const [at, { block, collector, limits }] of this.#stages.entries()) {
      if (at === this.#stages.length - 1 || isPlain(block) || collector instanceof StreamedRows) continue;
      const selected = collector.results().filter(({ value }) => value !== undefined);
      const results = distinctOf(selected, block.bound.isDistinct);
      for (const { value } of results.slice(limits.offset, limits.offset + limits.limit)) {
        this.#begin();
        this.#pass(at, value);
      }
    }
    const { collector } = this.#stages.at(-1) as Stage;
    return collector instanceof StreamedRows ? this.#cutStream(collector) : this.#cutWhole(collector);
  }

  #begin(): void {
    this.#row.begin();
    this.#place = 0;
  }

  #inner(block: ProgramBlock): Collector {
    if (!block.bound.isGrouped) return new AllRows(block, this.#row.memory);
    return new Groups(block, this.#row, Number.POSITIVE_INFINITY, undefined);
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
    if (isDistinct && !isGrouped && !isSorted) return new DistinctRows(block, memory, most, after);
    if (isSorted && !isDistinct && !isNested) {
      return new SortedRows(
        block,
        memory,
        { most, lengthMax: offset > 0 ? Number.POSITIVE_INFINITY : bytesMax },
        after,
      );
    }
    if (!this.isBlocking) return new StreamedRows(block, Math.min(itemsMax, limit), bytesMax, offset);
    return new CountedRows(this.#inner(block), isDistinct, from?.after);
  }

  /** The rows of one stage for what the row holds now. */
  #rowsOf(at: number): boolean {
    const { block, collector } = this.#stages[at] as Stage;
    const isOutermost = at === this.#stages.length - 1;
    const isPassedOn = !isOutermost && isPlain(block);
    const { from } = this.#options;
    const skipped = !this.isBlocking && from?.rid === this.#document.rid ? (from.rows ?? 0) : 0;
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

  #cutWhole(collector: Collector): ResultPage {
    const { itemsMax, bytesMax } = this.#options;
    const { offset, limit } = this.#limits;
    const results = collector.results();
    const rows: string[] = [];
    let bytes = 0;
    let end = 0;
    let offsetLeft = offset;
    while (end < results.length && rows.length < Math.min(itemsMax, limit) && (bytes < bytesMax || rows.length === 0)) {
      const text = results[end]?.text;
      end += 1;
      if (text === undefined) continue;
      if (offsetLeft > 0) {
        offsetLeft -= 1;
        continue;
      }
      rows.push(text);
      bytes += text.length;
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
