// The last row of the page before, where its keys are too long for a position: the document that it is of is looked at again, before
// any other, and if it has that row still the page goes on behind its keys.

import type { Buffer } from 'node:buffer';
import type { Program, ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Value } from '../value/value.ts';
import type { HeadPlace } from './after.ts';
import { placeWithKeys } from './after.ts';
import type { Collector, Results } from './collector.ts';
import { resultsOf } from './collector.ts';
import type { Position } from './position.ts';
import type { RunOptions } from './query-run.ts';
import { QueryRun } from './query-run.ts';

/** The document that a page should see before it begins. */
export function ridOfLastRow(from: Position | undefined): number | undefined {
  return headOf(from)?.of?.rid;
}

/** The position with the keys of its last row, as the document has them; itself where it has them no more. */
export function withLastRow(
  program: Program,
  options: RunOptions,
  bytes: Buffer,
  membersEnd: number,
): Position | undefined {
  const { from } = options;
  const head = headOf(from);
  if (head?.of === undefined) return from;
  const found = new RowAt(program.block, head.of.row);
  new QueryRun(program, { ...options, from: undefined }, found).add(bytes, 0, membersEnd, head.of.rid);
  const after = found.keys && placeWithKeys(head, found.keys);
  return after === undefined ? from : { ...from, after };
}

function headOf(from: Position | undefined): HeadPlace | undefined {
  const after = from?.after;
  return after !== undefined && 'head' in after ? after : undefined;
}

/** Of the rows of a document the so manieth, and of that what the result is in the order of. */
class RowAt implements Collector {
  readonly #block: ProgramBlock;
  readonly #at: number;
  keys: readonly Value[] | undefined;
  readonly isCut = false;

  constructor(block: ProgramBlock, at: number) {
    this.#block = block;
    this.#at = at;
  }

  add(row: Row, place: number): boolean {
    if (place !== this.#at) return true;
    const { orderKeys, groupKeys, select, bound } = this.#block;
    if (bound.isGrouped) this.keys = groupKeys.map((key) => key(row));
    else if (bound.orderBy.length > 0) this.keys = orderKeys.map((key) => key(row));
    else this.keys = [select(row)];
    return false;
  }

  results(): Results {
    return resultsOf([]);
  }

  after(count: number): { readonly rows: number } {
    return { rows: count };
  }
}
