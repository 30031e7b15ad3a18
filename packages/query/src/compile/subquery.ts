// A subquery of one row: everything it needs is at hand, so it is worked out at once, without pages.

import type { BoundBlock, BoundSelection } from '../bind/bound.ts';
import type { Count } from '../syntax/tree.ts';
import type { Aggregate } from '../value/aggregate.ts';
import { newAggregate } from '../value/aggregate.ts';
import { Memory } from '../value/memory.ts';
import { compareOrder } from '../value/order.ts';
import type { Value } from '../value/value.ts';
import { isArray, objectOf } from '../value/value.ts';
import { contentKeyOf, ValueSet } from '../value/value-set.ts';
import { arrayBytes, bounded, objectBytes, sizeOf } from '../value/value-size.ts';
import { keySteps, orderSteps } from './comparison.ts';
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
  return (row) => {
    row.work.make(objectBytes(items.length));
    row.work.take(1 + 4 * items.length);
    return bounded(objectOf(items.map(([name, item]) => [name, item(row)] as const)));
  };
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

interface Group {
  readonly keys: readonly Value[];
  readonly aggregates: readonly Aggregate[];
}

function groupedRows({ groupKeys }: BoundBlock, { sources, where, keys, aggregates, select }: BlockParts): Produce {
  const keepsValues = aggregates.some(({ kind }) => !countingKinds.has(kind));
  const add = (groups: Map<unknown, Group>, name: unknown, values: readonly Value[], memory: Memory): Group => {
    memory.take(groupBytes * (1 + aggregates.length) + 2 * sizeOfAll(values));
    const group = { keys: values, aggregates: aggregates.map(({ kind }) => newAggregate(kind, memory)) };
    groups.set(name, group);
    return group;
  };
  return (outer, take) => {
    const groups = new Map<unknown, Group>();
    // All of them share it with whatever else the query keeps.
    const memory = new Memory(outer.memory);
    // Without GROUP BY there is one group, also of nothing.
    if (groupKeys.length === 0) add(groups, undefined, none, memory);
    sources(outer, (row) => {
      row.count();
      if (where !== undefined && !where(row)) return true;
      const { work } = row;
      const { made } = work;
      work.take(1 + aggregates.length);
      const values = keys.map((key) => key(row));
      for (const value of values) work.take(1 + keySteps(value));
      const name = groupKeys.length === 0 ? undefined : contentKeyOf(values);
      const known = groups.get(name);
      const group = known ?? add(groups, name, values, memory);
      for (const [place, aggregate] of group.aggregates.entries()) {
        const value = aggregates[place]?.of(row);
        work.take(keySteps(value));
        aggregate.add(value);
      }
      if (known !== undefined && !keepsValues) work.forget(made);
      return true;
    });
    // A subquery may be inside of a group of the block around it.
    const around = outer.group;
    for (const { keys: values, aggregates: results } of groups.values()) {
      outer.group = { keys: values, aggregates: results.map(({ result }) => resultOf(outer, result)) };
      const value = select(outer);
      outer.group = around;
      if (value !== undefined && !take(value, none)) break;
    }
    memory.giveAll();
  };
}

/** Of what these are given nothing is left. */
const countingKinds: ReadonlySet<Parameters<typeof newAggregate>[0]> = new Set(['AVG', 'COUNT', 'COUNTIF', 'SUM']);

/** What a group takes beside its keys, and each of its aggregates. */
const groupBytes = 150;

function resultOf({ work }: Row, result: Value): Value {
  if (isArray(result)) work.make(arrayBytes(result.length));
  return bounded(result);
}

function sizeOfAll(values: readonly Value[]): number {
  return values.reduce<number>((size, value) => size + sizeOf(value), 0);
}

function sortedRows({ order }: BlockParts, produce: Produce): Produce {
  const directions = order.map(({ isDescending }) => isDescending);
  return (row, take) => {
    const sorted: { readonly value: Value; readonly keys: readonly Value[] }[] = [];
    const memory = new Memory(row.memory);
    produce(row, (value, keys) => {
      memory.take(sortedBytes + arrayBytes(keys.length));
      return sorted.push({ value, keys }) > 0;
    });
    sorted.sort((a, b) => {
      row.work.take(orderSteps(a.keys, b.keys));
      return compareOrder(a.keys, b.keys, directions);
    });
    for (const { value, keys } of sorted) if (!take(value, keys)) break;
    memory.giveAll();
  };
}

/** What a row takes that waits to be sorted, beside its value and its keys, which are counted as they are made. */
const sortedBytes = 50;

/** What a value takes that is remembered to be there only once, beside its text. */
const distinctBytes = 100;

function withLimits({ query }: Compiler, block: BoundBlock, produce: Produce): SubqueryRows {
  const countOf = (count: Count | undefined): ((row: Row) => number | undefined) => {
    if (count === undefined) return () => undefined;
    if (count.kind === 'number') return () => count.value;
    const place = query.parameterPlaces.get(count.name) ?? -1;
    // What is no count was refused before the query began.
    return (row) => row.parameters[place] as number;
  };
  const [top, offset, limit] = [countOf(block.top), countOf(block.offset), countOf(block.limit)];
  const { isDistinct } = block;
  return (row, take: Take) => {
    let left = top(row) ?? limit(row) ?? Number.POSITIVE_INFINITY;
    let skipped = offset(row) ?? 0;
    if (left === 0) return;
    const seen = isDistinct ? new ValueSet() : undefined;
    const memory = isDistinct ? new Memory(row.memory) : undefined;
    produce(row, (value) => {
      if (seen !== undefined) {
        row.work.take(keySteps(value));
        if (!seen.add(value)) return true;
        memory?.take(distinctBytes + 2 * sizeOf(value));
      }
      if (skipped > 0) {
        skipped -= 1;
        return true;
      }
      left -= 1;
      return take(value) && left > 0;
    });
    memory?.giveAll();
  };
}
