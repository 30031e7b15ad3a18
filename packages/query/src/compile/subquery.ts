// A subquery of one row: everything it needs is at hand, so it is worked out at once, without pages.

import type { BoundBlock, BoundSelection } from '../bind/bound.ts';
import type { Count } from '../syntax/tree.ts';
import type { Aggregate } from '../value/aggregate.ts';
import { newAggregate } from '../value/aggregate.ts';
import { Memory } from '../value/memory.ts';
import { compareOrder } from '../value/order.ts';
import type { Value } from '../value/value.ts';
import { objectOf } from '../value/value.ts';
import { contentKeyOf, ValueSet } from '../value/value-set.ts';
import { bounded } from '../value/value-size.ts';
import type { Compiler, SubqueryRows } from './expression.ts';
import { compileExpression, compileTest } from './expression.ts';
import type { Evaluate, Row, Test } from './row.ts';
import type { Rows } from './sources.ts';
import { compileSources } from './sources.ts';

type Take = (value: Value) => boolean;

export function compileSubqueryRows(compiler: Compiler, block: BoundBlock): SubqueryRows {
  const parts: BlockParts = {
    sources: compileSources(compiler, block.sources),
    where: block.where && compileTest(compiler, block.where),
    keys: block.groupKeys.map((key) => compileExpression(compiler, key)),
    aggregates: block.aggregates.map(({ kind, of }) => ({ kind, of: compileExpression(compiler, of) })),
    order: block.orderBy.map(({ expression, isDescending }) => ({
      key: compileExpression(compiler, expression),
      isDescending,
    })),
    select: compileSelection(compiler, block.selection),
  };
  const produce = block.isGrouped ? groupedRows(block, parts) : plainRows(parts);
  return withLimits(compiler, block, parts.order.length > 0 ? sortedRows(parts, produce) : produce);
}

export function compileAllPass(compiler: Compiler, block: BoundBlock): Test {
  const sources = compileSources(compiler, block.sources);
  const where = block.where === undefined ? () => true : compileTest(compiler, block.where);
  return (outer) => {
    let isAll = true;
    sources(outer, (row) => {
      row.count();
      isAll = where(row);
      return isAll;
    });
    return isAll;
  };
}

/** The row of a result as a value. */
export function compileSelection(compiler: Compiler, selection: BoundSelection): Evaluate {
  if (selection.kind === 'value') return compileExpression(compiler, selection.expression);
  const items = selection.items.map(({ name, expression }) => [name, compileExpression(compiler, expression)] as const);
  return (row) => bounded(objectOf(items.map(([name, item]) => [name, item(row)] as const)));
}

interface BlockParts {
  readonly sources: Rows;
  readonly where: Test | undefined;
  readonly keys: readonly Evaluate[];
  readonly aggregates: readonly { readonly kind: Parameters<typeof newAggregate>[0]; readonly of: Evaluate }[];
  readonly order: readonly { readonly key: Evaluate; readonly isDescending: boolean }[];
  readonly select: Evaluate;
}

/** Gives each row that is selected, with what it is sorted by. */
type Produce = (row: Row, take: (value: Value, sortKeys: readonly Value[]) => boolean) => void;

function plainRows({ sources, where, order, select }: BlockParts): Produce {
  return (outer, take) => {
    sources(outer, (row) => {
      row.count();
      if (where !== undefined && !where(row)) return true;
      const value = select(row);
      return value === undefined || take(value, order.length === 0 ? none : order.map(({ key }) => key(row)));
    });
  };
}

const none: readonly Value[] = [];

function groupedRows({ groupKeys }: BoundBlock, { sources, where, keys, aggregates, select }: BlockParts): Produce {
  const newAggregates = (): Aggregate[] => aggregates.map(({ kind }) => newAggregate(kind, new Memory()));
  return (outer, take) => {
    const groups = new Map<unknown, { readonly keys: readonly Value[]; readonly aggregates: readonly Aggregate[] }>();
    // Without GROUP BY there is one group, also of nothing.
    if (groupKeys.length === 0) groups.set(undefined, { keys: none, aggregates: newAggregates() });
    sources(outer, (row) => {
      row.count();
      if (where !== undefined && !where(row)) return true;
      const values = keys.map((key) => key(row));
      const name = groupKeys.length === 0 ? undefined : contentKeyOf(values);
      let group = groups.get(name);
      if (group === undefined) {
        group = { keys: values, aggregates: newAggregates() };
        groups.set(name, group);
      }
      for (const [place, aggregate] of group.aggregates.entries()) aggregate.add(aggregates[place]?.of(row));
      return true;
    });
    // A subquery may be inside of a group of the block around it.
    const around = outer.group;
    for (const { keys: values, aggregates: results } of groups.values()) {
      outer.group = { keys: values, aggregates: results.map(({ result }) => result) };
      const value = select(outer);
      outer.group = around;
      if (value !== undefined && !take(value, none)) return;
    }
  };
}

function sortedRows({ order }: BlockParts, produce: Produce): Produce {
  const directions = order.map(({ isDescending }) => isDescending);
  return (row, take) => {
    const sorted: { readonly value: Value; readonly keys: readonly Value[] }[] = [];
    produce(row, (value, keys) => sorted.push({ value, keys }) > 0);
    sorted.sort((a, b) => compareOrder(a.keys, b.keys, directions));
    for (const { value, keys } of sorted) if (!take(value, keys)) return;
  };
}

function withLimits({ query }: Compiler, block: BoundBlock, produce: Produce): SubqueryRows {
  const countOf = (count: Count | undefined): ((row: Row) => number | undefined) => {
    if (count === undefined) return () => undefined;
    if (count.kind === 'number') return () => count.value;
    const place = query.parameterNames.indexOf(count.name);
    // What is no count was refused before the query began.
    return (row) => row.parameters[place] as number;
  };
  const [top, offset, limit] = [countOf(block.top), countOf(block.offset), countOf(block.limit)];
  const { isDistinct } = block;
  return (row, take: Take) => {
    let left = top(row) ?? limit(row) ?? Number.POSITIVE_INFINITY;
    let skipped = offset(row) ?? 0;
    const seen = isDistinct ? new ValueSet() : undefined;
    if (left === 0) return;
    produce(row, (value) => {
      if (seen !== undefined && !seen.add(value)) return true;
      if (skipped > 0) {
        skipped -= 1;
        return true;
      }
      left -= 1;
      return take(value) && left > 0;
    });
  };
}
