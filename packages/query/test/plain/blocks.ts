// Blocks: FROM, WHERE, GROUP BY, ORDER BY, SELECT, DISTINCT, TOP, OFFSET and LIMIT, one after the other over whole lists (query 1.6).
//
// Where the specification leaves an order open, it is that of the reference: documents in the order of their rids, groups in the
// order of their keys and distinct rows in the order of their values, where they come from the container; inside of an
// expression groups and distinct rows come in the order in which they were met.

import type { Count, Expression, Query, Source } from '../../src/syntax/tree.ts';
import type { Value } from '../../src/value/value.ts';
import { aggregateNames } from './aggregates.ts';
import type { Environment, Group } from './environment.ts';
import { textOf, withName } from './environment.ts';
import { evaluate } from './expressions.ts';
import { distinct, elementsOf, objectFrom, order, partOf } from './values.ts';

/** The documents that the first name of the outermost FROM stands for. */
export type Container = readonly Value[];

/** Rows of a block; `container` where its FROM may name it. */
export function rowsOf(
  query: Query,
  outer: Environment,
  container: Container | undefined,
  isOutermost = false,
): readonly Value[] {
  const isOfContainer = container !== undefined && namesContainer(query, outer);
  const rows = sourceRows(query.from, outer, container).filter(
    (row) => query.where === undefined || evaluate(query.where, row) === true,
  );
  const isGrouped = query.groupBy.length > 0 || selectsAggregate(query);
  const groups = isGrouped ? groupsOf(query, rows, outer, isOfContainer || isOutermost) : sortedRows(query, rows);
  const selected = groups.map((row) => select(query, row)).filter((value) => value !== undefined);
  const once = query.isDistinct ? distinct(selected) : selected;
  const isInOrderOfValues = isOutermost && query.isDistinct && query.orderBy === undefined;
  const ordered = isInOrderOfValues ? [...once].sort(order) : once;
  const countOf = (count: Count | undefined): number | undefined =>
    count === undefined ? undefined : (evaluate(count, outer) as number);
  const offset = countOf(query.offset) ?? 0;
  const limit = countOf(query.top) ?? countOf(query.limit) ?? ordered.length;
  return ordered.slice(offset, offset + limit);
}

/** ALL: whether each row of FROM passes WHERE. */
export function allPass(query: Query, outer: Environment): boolean {
  const { where } = query;
  return sourceRows(query.from, outer, undefined).every((row) => where === undefined || evaluate(where, row) === true);
}

/** The first name of FROM, or of the block that it begins with, is none that is known. */
export function namesContainer({ from }: Query, { names }: Pick<Environment, 'names'>): boolean {
  const [first] = sourcesOf(from);
  if (first === undefined) return false;
  const { collection } = first;
  return collection.kind === 'path' ? !names.has(collection.root) : namesContainer(collection.query, { names });
}

type OneSource = Exclude<Source, { kind: 'join' }>;

export function sourcesOf(source: Source | undefined): readonly OneSource[] {
  if (source === undefined) return [];
  return source.kind === 'join' ? [...sourcesOf(source.left), ...sourcesOf(source.right)] : [source];
}

function sourceRows(
  from: Source | undefined,
  outer: Environment,
  container: Container | undefined,
): readonly Environment[] {
  let rows: readonly Environment[] = [outer];
  for (const [at, source] of sourcesOf(from).entries()) {
    const name = aliasOf(source);
    rows = rows.flatMap((row) =>
      sourceValues(source, row, at === 0 ? container : undefined).map((value) =>
        withName(at === 0 ? withName(row, starName, value) : row, name, value),
      ),
    );
  }
  return rows;
}

/** What `*` stands for. No alias is called so. */
const starName = '*';

function sourceValues(source: OneSource, row: Environment, container: Container | undefined): readonly Value[] {
  const { collection } = source;
  let values: readonly Value[];
  if (collection.kind === 'subquery') {
    values = rowsOf(collection.query, row, container);
  } else {
    const { root, steps } = collection;
    const roots = row.names.has(root) ? [row.names.get(root)] : (container ?? []);
    values = roots.map((value) => steps.reduce<Value>(partOf, value)).filter((value) => value !== undefined);
  }
  return source.kind === 'each' ? values.flatMap((value) => elementsOf(value) ?? []) : values;
}

/** Its alias, or the last name of its path. */
export function aliasOf({ alias, collection }: OneSource): string | undefined {
  if (alias !== undefined || collection.kind === 'subquery') return alias;
  const last = collection.steps.at(-1) ?? collection.root;
  return typeof last === 'string' && /^\w+$/.test(last) && !/^\d/.test(last) ? last : undefined;
}

function groupsOf(
  query: Query,
  rows: readonly Environment[],
  outer: Environment,
  isInOrder: boolean,
): readonly Environment[] {
  const groups: { readonly keys: readonly Value[]; readonly rows: Environment[] }[] = [];
  if (query.groupBy.length === 0) groups.push({ keys: [], rows: [...rows] });
  else {
    for (const row of rows) {
      const keys = query.groupBy.map((key) => evaluate(key, row));
      const group = groups.find((each) => order(undefinedAsList(each.keys), undefinedAsList(keys)) === 0);
      if (group === undefined) groups.push({ keys, rows: [row] });
      else group.rows.push(row);
    }
  }
  if (isInOrder) groups.sort((a, b) => orderByKeys(a.keys, b.keys, []));
  return groups.map(({ keys, rows: members }) => {
    const group: Group = {
      keys: query.groupBy.map((key, at) => ({ text: textOf(key), value: keys[at] })),
      rows: members,
    };
    return { ...outer, group };
  });
}

function undefinedAsList(keys: readonly Value[]): Value {
  return keys.map((key) => (key === undefined ? [] : [key]));
}

function sortedRows({ orderBy }: Query, rows: readonly Environment[]): readonly Environment[] {
  if (orderBy === undefined) return rows;
  const areDescending = orderBy.items.map(
    ({ direction, expression }) => direction === 'DESC' || isSimilarity(expression),
  );
  return rows
    .map((row) => ({ row, keys: orderBy.items.map(({ expression }) => evaluate(expression, row)) }))
    .sort((a, b) => orderByKeys(a.keys, b.keys, areDescending))
    .map(({ row }) => row);
}

/** The most similar vectors come first; distances, where a small one is similar, are not asked for here. */
function isSimilarity(expression: Expression): boolean {
  return expression.kind === 'call' && expression.name.toUpperCase() === 'VECTORDISTANCE';
}

function orderByKeys(a: readonly Value[], b: readonly Value[], areDescending: readonly boolean[]): number {
  for (const [at, key] of a.entries()) {
    const found = order(key, b[at]);
    if (found !== 0) return areDescending[at] === true ? -found : found;
  }
  return 0;
}

function select(query: Query, row: Environment): Value {
  const { selection } = query;
  switch (selection.kind) {
    case 'star':
      return row.names.get(starName);
    case 'value':
      return evaluate(selection.expression, row);
    case 'list': {
      const names = columnNames(selection.items);
      return objectFrom(
        selection.items.map(({ expression }, at) => [names[at] as string, evaluate(expression, row)] as const),
      );
    }
  }
}

type Items = Extract<Query['selection'], { kind: 'list' }>['items'];

/** The last name of a path; all others are numbered among themselves (query 1.5). */
export function columnNames(items: Items): readonly string[] {
  const isNamed = ({ alias, expression }: Items[number]): boolean =>
    alias !== undefined || expression.kind === 'member' || expression.kind === 'name';
  const unnamed = items.filter((item) => !isNamed(item));
  return items.map((item) => {
    const { alias, expression } = item;
    if (alias !== undefined) return alias;
    if (expression.kind === 'member' || expression.kind === 'name') return expression.name;
    return `$${unnamed.indexOf(item) + 1}`;
  });
}

export function selectsAggregate({ selection }: Query): boolean {
  if (selection.kind === 'star') return false;
  const expressions =
    selection.kind === 'value' ? [selection.expression] : selection.items.map((item) => item.expression);
  return expressions.some(hasAggregate);
}

/** Of this block: blocks within have their own. */
export function hasAggregate(expression: Expression): boolean {
  if (expression.kind === 'subquery') return false;
  if (expression.kind === 'call' && !expression.isUdf && aggregateNames.has(expression.name.toUpperCase())) return true;
  return partsOf(expression).some(hasAggregate);
}

/** Its children, whatever they are called. */
export function partsOf(expression: Expression): readonly Expression[] {
  return Object.values(expression)
    .flatMap((part: unknown) => (Array.isArray(part) ? (part as readonly unknown[]) : [part]))
    .map((part) => (isNode(part) && !('kind' in part) && 'value' in part ? part.value : part))
    .filter((part): part is Expression => isNode(part) && 'kind' in part && part.kind !== 'query');
}

function isNode(part: unknown): part is object {
  return typeof part === 'object' && part !== null;
}
