// Expressions: names become slots, calls become functions or aggregates, and where rows have become groups only their keys
// and aggregates are left.

import { DatabaseError } from '@tidemark/model';
import { findFunction, missingFunction } from '../functions/function-table.ts';
import { computedPartsMax, udfCallsMax } from '../limits.ts';
import type { QueryError } from '../query-error.ts';
import { refusedQuery } from '../query-error.ts';
import { printExpression } from '../syntax/print.ts';
import type { Expression, PathStep } from '../syntax/tree.ts';
import { childrenOf } from '../syntax/tree.ts';
import type { AggregateKind } from '../value/aggregate.ts';
import type { Place } from './binder.ts';
import type { BoundExpression } from './bound.ts';
import { Scope } from './scope.ts';
import { withMeasure } from './vector-order.ts';

export function bindExpression(expression: Expression, place: Place): BoundExpression {
  const key = place.grouping?.keys.placeOf(expression);
  if (key !== undefined) return { kind: 'group-key', place: key };
  const bind = (child: Expression): BoundExpression => bindExpression(child, place);
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'constant':
      return { kind: 'literal', value: expression.value };
    case 'parameter':
      return bindParameter(expression, place);
    case 'name':
    case 'member':
    case 'index':
      return bindAccess(expression, place);
    case 'array':
      return { kind: 'array', items: expression.items.map(bind) };
    case 'object':
      return { kind: 'object', members: expression.members.map(({ name, value }) => ({ name, value: bind(value) })) };
    case 'call':
      return bindCall(expression, place);
    case 'unary':
      return { kind: 'unary', operator: expression.operator, operand: bind(expression.operand) };
    case 'binary': {
      const { operator, left, right } = expression;
      return { kind: 'binary', operator, left: bind(left), right: bind(right) };
    }
    case 'chain':
      return { kind: 'chain', operator: expression.operator, operands: expression.operands.map(bind) };
    case 'between': {
      const { isNegated, value, low, high } = expression;
      return { kind: 'between', isNegated, value: bind(value), low: bind(low), high: bind(high) };
    }
    case 'in': {
      const { isNegated, value, list } = expression;
      return { kind: 'in', isNegated, value: bind(value), list: list.map(bind) };
    }
    case 'like':
      return bindLike(expression, place);
    case 'conditional': {
      const { condition, yes, no } = expression;
      return { kind: 'conditional', condition: bind(condition), yes: bind(yes), no: bind(no) };
    }
    case 'subquery': {
      const { form, query } = expression;
      const scope = place.grouping === undefined ? place.scope : place.scope.afterGrouping();
      return { kind: 'subquery', form, block: place.binder.bindBlock(query, scope, false) };
    }
  }
}

/** Whether an aggregate of this block is in it; those of subqueries are theirs. */
export function containsAggregate(expression: Expression): boolean {
  if (aggregateOf(expression) !== undefined) return true;
  return childrenOf(expression).some(containsAggregate);
}

function containsSubquery(expression: Expression): boolean {
  return expression.kind === 'subquery' || childrenOf(expression).some(containsSubquery);
}

/** Undefined for whatever is no call of an aggregate. */
export function aggregateOf(expression: Expression): AggregateKind | undefined {
  if (expression.kind !== 'call' || expression.isUdf) return undefined;
  return aggregates.get(expression.name.toUpperCase());
}

const aggregates: ReadonlyMap<string, AggregateKind> = new Map(
  (['AVG', 'COUNT', 'COUNTIF', 'MAKELIST', 'MAKESET', 'MAX', 'MIN', 'SUM'] satisfies AggregateKind[]).map(
    (kind) => [kind, kind] as const,
  ),
);

function bindParameter(expression: Extract<Expression, { kind: 'parameter' }>, { binder }: Place): BoundExpression {
  const place = binder.parameterPlaces.get(expression.name);
  if (place === undefined) {
    binder.fail('SC2001', `Identifier '${expression.name}' could not be resolved.`, expression);
  }
  return { kind: 'parameter', place: place ?? 0 };
}

/** A chain of fixed steps from an alias is one path. */
function bindAccess(
  expression: Extract<Expression, { kind: 'name' | 'member' | 'index' }>,
  place: Place,
): BoundExpression {
  if (expression.kind === 'name') return bindName(expression, place);
  const lost = lostAlias(expression, place);
  if (lost !== undefined) return failLost(expression, place);
  const of = bindExpression(expression.of, place);
  if (expression.kind === 'member') {
    if (of.kind === 'path') return pathOf(place.binder, of.slot, [...of.steps, expression.name]);
    return { kind: 'member', of, name: expression.name };
  }
  const by = bindExpression(expression.by, place);
  const isPlace =
    by.kind === 'literal' && typeof by.value === 'number' && Number.isSafeInteger(by.value) && by.value >= 0;
  if (of.kind === 'path' && isPlace) return { ...of, steps: [...of.steps, by.value as number] };
  return { kind: 'index', of, by };
}

/** A path, or where its first step is a computed property of the container what that is worked out by. */
export function pathOf(binder: Place['binder'], slot: number, steps: readonly PathStep[]): BoundExpression {
  const [first, ...rest] = steps;
  const computed = slot === binder.documentSlot ? binder.facts.computed.get(String(first)) : undefined;
  if (computed === undefined || typeof first !== 'string') return { kind: 'path', slot, steps };
  binder.computedParts += computed.partCount;
  if (binder.computedParts > computedPartsMax) throw tooManyComputed();
  const scope = new Scope(undefined);
  scope.add(computed.alias, slot);
  const of = bindExpression(computed.expression, { binder, scope, clause: undefined, grouping: undefined });
  binder.computed.add(of);
  return rest.reduce<BoundExpression>(
    (inner, step) =>
      typeof step === 'string'
        ? { kind: 'member', of: inner, name: step }
        : { kind: 'index', of: inner, by: { kind: 'literal', value: step } },
    of,
  );
}

function tooManyComputed(): QueryError {
  return refusedQuery(
    `The query names computed properties so often that their expressions have more than ${computedPartsMax} parts altogether. ` +
      'Name them less often, or make them shorter.',
  );
}

function bindName(expression: Extract<Expression, { kind: 'name' }>, place: Place): BoundExpression {
  const slot = place.scope.find(expression.name);
  if (slot === undefined) {
    place.binder.fail('SC2001', `Identifier '${expression.name}' could not be resolved.`, expression);
  } else if (lostAlias(expression, place) !== undefined || place.scope.isLost(expression.name)) {
    return failLost(expression, place);
  }
  return { kind: 'path', slot: slot ?? 0, steps: [] };
}

/** The alias that an access begins with, where groups have only keys left of it and no part of the access is one. */
function lostAlias(expression: Expression, { scope, grouping }: Place): string | undefined {
  if (grouping === undefined) return undefined;
  let part = expression;
  while (part.kind === 'member' || part.kind === 'index') {
    const { of } = part;
    if (grouping.keys.placeOf(of) !== undefined) return undefined;
    part = of;
  }
  return part.kind === 'name' && scope.isOwn(part.name) ? part.name : undefined;
}

function failLost(expression: Expression, { binder }: Place): BoundExpression {
  binder.fail('SC2102', lostMessage(printExpression(expression)), expression);
  return { kind: 'literal', value: undefined };
}

export function lostMessage(reference: string): string {
  return (
    `Property reference '${reference}' is invalid in the select list because it is not contained in either an ` +
    'aggregate function or the GROUP BY clause.'
  );
}

function bindCall(expression: Extract<Expression, { kind: 'call' }>, place: Place): BoundExpression {
  const { binder } = place;
  const { name, args } = expression;
  if (expression.isUdf) {
    binder.udfCalls += 1;
    if (binder.udfCalls > udfCallsMax) {
      const message = `The SQL query exceeded the maximum number of user-defined function calls. The allowed limit is ${udfCallsMax}.`;
      binder.fail('SC3005', message, expression);
    }
    throw new DatabaseError(
      'not-supported',
      `User-defined functions are not there yet, so udf.${name} cannot be called.`,
    );
  }
  const aggregate = aggregateOf(expression);
  if (aggregate !== undefined) return bindAggregate(aggregate, expression, place);
  const bound = args.map((arg) => bindExpression(arg, place));
  if (name.toUpperCase() === 'DOCUMENTID') return bindDocumentId(expression, bound, place);
  const found = findFunction(name);
  if (found === undefined) {
    const missing = missingFunction(name);
    if (missing !== undefined) throw new DatabaseError('not-supported', missing);
    binder.fail('SC2005', `'${name}' is not a recognized built-in function name.`, expression);
    return { kind: 'literal', value: undefined };
  }
  const { argsMin, argsMax } = found.signature;
  if (args.length < argsMin || args.length > argsMax) {
    binder.fail(
      'SC2050',
      `The ${name.toUpperCase()} function requires ${arityText(argsMin, argsMax)} argument(s).`,
      expression,
    );
  }
  return withMeasure({ kind: 'call', function: found, args: bound }, binder);
}

function arityText(argsMin: number, argsMax: number): string {
  if (argsMin === argsMax) return String(argsMin);
  return argsMax === Number.POSITIVE_INFINITY ? `at least ${argsMin}` : `${argsMin} to ${argsMax}`;
}

function bindDocumentId(
  expression: Extract<Expression, { kind: 'call' }>,
  args: readonly BoundExpression[],
  { binder }: Place,
): BoundExpression {
  const [of] = args;
  if (args.length !== 1) {
    binder.fail('SC2050', 'The DOCUMENTID function requires 1 argument(s).', expression);
  } else if (of?.kind !== 'path' || of.slot !== binder.documentSlot || of.steps.length > 0) {
    binder.fail('SC2051', 'The argument of DOCUMENTID must be the alias of the container.', expression);
  }
  return { kind: 'document-id' };
}

function bindAggregate(
  kind: AggregateKind,
  expression: Extract<Expression, { kind: 'call' }>,
  { binder, clause, grouping }: Place,
): BoundExpression {
  const { args } = expression;
  const [of] = args;
  if (args.length !== 1 || of === undefined) {
    binder.fail('SC2050', `The ${kind} function requires 1 argument(s).`, expression);
    return { kind: 'literal', value: undefined };
  }
  if (grouping === undefined) {
    const where = clause === undefined ? 'here' : `in the ${clause} clause`;
    binder.fail('SC2104', `Aggregate functions are not allowed ${where}.`, expression);
    return { kind: 'literal', value: undefined };
  }
  if (containsAggregate(of) || containsSubquery(of)) {
    binder.fail(
      'SC2101',
      'Cannot perform an aggregate function on an expression containing an aggregate or a subquery.',
      of,
    );
    return { kind: 'literal', value: undefined };
  }
  grouping.aggregates.push({ kind, of: bindExpression(of, grouping.rowPlace) });
  return { kind: 'aggregate', place: grouping.aggregates.length - 1 };
}

function bindLike(expression: Extract<Expression, { kind: 'like' }>, place: Place): BoundExpression {
  const { isNegated, value, pattern, escapedBy } = expression;
  if (escapedBy !== undefined && [...escapedBy].length !== 1) {
    place.binder.fail('SC2107', 'The ESCAPE of LIKE must be a single character.', expression);
  }
  return {
    kind: 'like',
    isNegated,
    value: bindExpression(value, place),
    pattern: bindExpression(pattern, place),
    escapedBy,
  };
}
