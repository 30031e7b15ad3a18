// Whether a query is refused before it runs: names, places of aggregates, numbers of arguments. Says only that it is, not why.

import { functionFamilies } from '../../src/functions/function-table.ts';
import type { Count, Expression, Query } from '../../src/syntax/tree.ts';
import type { Value } from '../../src/value/value.ts';
import { aggregateNames } from './aggregates.ts';
import { aliasOf, columnNames, hasAggregate, partsOf, selectsAggregate, sourcesOf } from './blocks.ts';
import { textOf } from './environment.ts';

type Meaning =
  /** A document of the container, which DOCUMENTID takes. */
  | 'document'
  | 'value'
  /** Of a block whose rows have become groups. */
  | 'lost';

interface Scope {
  readonly names: ReadonlyMap<string, Meaning>;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Texts of the keys of the groups, where there are groups. */
  readonly keys?: ReadonlySet<string>;
  /** Where aggregates may stand: what their arguments see. */
  readonly ofRows?: Scope | undefined;
}

export class Refused extends Error {}

const joinsMax = 10;
const countMax = 2 ** 32 - 1;

export function checkQuery(query: Query, parameters: ReadonlyMap<string, Value>): void {
  checkBlock(query, { names: new Map(), parameters }, true, true);
}

function refuseIf(isWrong: boolean): void {
  if (isWrong) throw new Refused();
}

function checkBlock(query: Query, outer: Scope, mayNameContainer: boolean, isOutermost: boolean): void {
  const { names: all, first } = checkSources(query, outer, mayNameContainer);
  const { parameters } = outer;
  const scope: Scope = { names: all, parameters };
  if (query.where !== undefined) checkExpression(query.where, scope);
  for (const key of query.groupBy) checkExpression(key, scope);
  const isGrouped = query.groupBy.length > 0 || selectsAggregate(query);
  const own = new Set(sourcesOf(query.from).map(aliasOf));
  const left = [...all].map(([name, meaning]) => [name, own.has(name) ? 'lost' : meaning] as const);
  const keys = new Set(query.groupBy.map(textOf));
  checkSelection(query, isGrouped ? { names: new Map(left), parameters, keys, ofRows: scope } : scope);
  if (query.orderBy !== undefined) {
    refuseIf(query.orderBy.kind === 'rank' || query.groupBy.length > 0);
    for (const { expression } of query.orderBy.items) {
      checkExpression(expression, scope);
      refuseIf(isOutermost && !isGrouped && !isPathOf(expression, first));
    }
  }
  refuseIf(query.top !== undefined && query.offset !== undefined);
  for (const count of [query.top, query.offset, query.limit]) if (count !== undefined) checkCount(count, parameters);
}

function checkSources(
  query: Query,
  outer: Scope,
  mayNameContainer: boolean,
): { readonly names: ReadonlyMap<string, Meaning>; readonly first: string | undefined } {
  const sources = sourcesOf(query.from);
  refuseIf(sources.length - 1 > joinsMax);
  const names = new Map(outer.names);
  const own = new Set<string>();
  for (const [at, source] of sources.entries()) {
    const { collection } = source;
    const mayName = mayNameContainer && at === 0;
    const scope: Scope = { names: new Map(names), parameters: outer.parameters };
    let meaning: Meaning = 'value';
    if (collection.kind === 'subquery') checkBlock(collection.query, scope, mayName, false);
    else {
      const isContainer = mayName && !names.has(collection.root);
      refuseIf(!isContainer && (names.get(collection.root) ?? 'lost') === 'lost');
      if (isContainer && collection.steps.length === 0 && source.kind !== 'each') meaning = 'document';
    }
    const alias = aliasOf(source);
    if (alias === undefined) continue;
    refuseIf(own.has(alias));
    own.add(alias);
    names.set(alias, meaning);
  }
  const [first] = sources;
  return { names, first: first && aliasOf(first) };
}

function checkSelection(query: Query, scope: Scope): void {
  const { selection } = query;
  if (selection.kind === 'star') refuseIf(query.groupBy.length > 0 || sourcesOf(query.from).length !== 1);
  else if (selection.kind === 'value') checkExpression(selection.expression, scope);
  else {
    const names = columnNames(selection.items);
    refuseIf(new Set(names).size < names.length);
    for (const { expression } of selection.items) checkExpression(expression, scope);
  }
}

/** Spec query 4: a path of the documents, by fixed steps. */
function isPathOf(expression: Expression, first: string | undefined): boolean {
  if (expression.kind === 'call') return expression.name.toUpperCase() === 'VECTORDISTANCE';
  let at: Expression = expression;
  let steps = 0;
  while (at.kind === 'member' || at.kind === 'index') {
    if (at.kind === 'index' && !(at.by.kind === 'number' && Number.isSafeInteger(at.by.value))) return false;
    at = at.of;
    steps += 1;
  }
  return steps > 0 && at.kind === 'name' && at.name === first;
}

function checkCount(count: Count, parameters: ReadonlyMap<string, Value>): void {
  const value = count.kind === 'number' ? count.value : parameters.get(count.name);
  refuseIf(typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > countMax);
}

function checkExpression(expression: Expression, scope: Scope): void {
  if (scope.keys?.has(textOf(expression)) === true) return;
  if (expression.kind === 'call') checkCall(expression, scope);
  else if (expression.kind === 'subquery') {
    checkBlock(expression.query, { names: scope.names, parameters: scope.parameters }, false, false);
  } else {
    if (expression.kind === 'name') refuseIf((scope.names.get(expression.name) ?? 'lost') === 'lost');
    if (expression.kind === 'parameter') refuseIf(!scope.parameters.has(expression.name));
    if (expression.kind === 'like') refuseIf([...(expression.escapedBy ?? '!')].length !== 1);
    for (const part of partsOf(expression)) checkExpression(part, scope);
  }
}

function checkCall({ name, isUdf, args }: Extract<Expression, { kind: 'call' }>, scope: Scope): void {
  refuseIf(isUdf);
  const upper = name.toUpperCase();
  if (aggregateNames.has(upper)) checkAggregate(args, scope);
  else {
    for (const arg of args) checkExpression(arg, scope);
    if (upper === 'DOCUMENTID') {
      const [of] = args;
      refuseIf(args.length !== 1 || of?.kind !== 'name' || scope.names.get(of.name) !== 'document');
    } else checkArity(upper, args.length);
  }
}

function checkAggregate(args: readonly Expression[], { ofRows }: Scope): void {
  const [of] = args;
  refuseIf(args.length !== 1 || of === undefined || hasAggregate(of) || hasSubquery(of));
  if (of === undefined || ofRows === undefined) throw new Refused();
  checkExpression(of, ofRows);
}

function checkArity(upper: string, count: number): void {
  const found = functionFamilies
    .flatMap(({ functions }) => functions)
    .find((each) => [each.name, ...(each.aliases ?? [])].some((one) => one.toUpperCase() === upper));
  if (found === undefined) throw new Refused();
  const types = found.takes === '' ? [] : found.takes.split(', ');
  const least = types.filter((type) => !type.endsWith('?')).length;
  refuseIf(count < least || (count > types.length && !found.takes.endsWith('...')));
}

function hasSubquery(expression: Expression): boolean {
  return expression.kind === 'subquery' || partsOf(expression).some(hasSubquery);
}
