// A bound query as closures, made once and used by any number of runs: what is of one run is in its Row and its collectors.

import type { BoundBlock, BoundQuery } from '../bind/bound.ts';
import type { Value } from '../value/value.ts';
import type { Compiler } from './expression.ts';
import { compileExpression, compileTest } from './expression.ts';
import type { Output } from './output.ts';
import { compileOutput } from './output.ts';
import type { Evaluate, Test } from './row.ts';
import type { Rows } from './sources.ts';
import { compileSources } from './sources.ts';
import { MemberNames } from './stored-document.ts';
import { compileAllPass, compileSelection, compileSubqueryRows } from './subquery.ts';

export interface Program {
  readonly query: BoundQuery;
  readonly names: MemberNames;
  readonly block: ProgramBlock;
}

/** A block that works on the whole container; those inside of expressions are closures of their own. */
export interface ProgramBlock {
  readonly bound: BoundBlock;
  /** Its FROM begins with another block, whose rows it gets in this slot. */
  readonly inner: { readonly block: ProgramBlock; readonly slot: number; readonly isEach: boolean } | undefined;
  readonly rows: Rows;
  readonly where: Test | undefined;
  readonly groupKeys: readonly Evaluate[];
  readonly aggregates: readonly Evaluate[];
  readonly orderKeys: readonly Evaluate[];
  readonly areDescending: readonly boolean[];
  /** A row of the result, as text and as a value. */
  readonly output: Output;
  readonly select: (row: Parameters<Evaluate>[0]) => Value;
}

export function compileQuery(query: BoundQuery): Program {
  const names = new MemberNames();
  const compiler: Compiler = {
    query,
    names,
    size: { uncounted: 0 },
    subquery: (block) => compileSubqueryRows(compiler, block),
    allPass: (block) => compileAllPass(compiler, block),
  };
  return { query, names, block: compileBlock(compiler, query.block) };
}

function compileBlock(compiler: Compiler, bound: BoundBlock): ProgramBlock {
  const [first, ...others] = bound.sources;
  const isNested = first?.kind === 'block' && first.block.isOfContainer;
  return {
    bound,
    inner: isNested
      ? { block: compileBlock(compiler, first.block), slot: first.slot, isEach: first.isEach }
      : undefined,
    rows: forgetting(compileSources(compiler, isNested ? others : bound.sources), bound),
    where: bound.where && compileTest(compiler, bound.where),
    groupKeys: bound.groupKeys.map((key) => compileExpression(compiler, key)),
    aggregates: bound.aggregates.map(({ of }) => compileExpression(compiler, of)),
    orderKeys: bound.orderBy.map(({ expression }) => compileExpression(compiler, expression)),
    areDescending: bound.orderBy.map(({ isDescending }) => isDescending),
    output: compileOutput(compiler, bound.selection),
    select: compileSelection(compiler, bound.selection),
  };
}

/** What was made for a row and is kept, is counted by who keeps it. One document has many rows only with joins. */
function forgetting(rows: Rows, { sources }: BoundBlock): Rows {
  if (sources.length === 1 && sources[0]?.kind === 'container') return rows;
  return (outer, next) =>
    rows(outer, (row) => {
      const { made } = row.work;
      const isWanted = next(row);
      row.work.forget(made);
      return isWanted;
    });
}
