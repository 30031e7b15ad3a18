// Which partition keys a document can have that passes a filter (spec query 5.7). The answer is never too small: what is not
// understood counts as any key.
//
// It is a list of boxes; each holds for every level of the key the values that are possible, and the document's key lies in one
// of them. An expression is asked twice: when can it be true, and, for what stands below a NOT, when can it be false.

import type { PartitionKeyComponent } from '@tidemark/model';
import { parsePartitionKeyPath } from '@tidemark/model';
import type { BoundExpression, BoundQuery } from '../bind/bound.ts';
import { filterAlternativesMax } from '../limits.ts';
import { likePattern } from '../value/like.ts';
import type { Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import type { ConstantOf } from './constant.ts';
import { constantsOf } from './constant.ts';
import { containerBlock } from './container-block.ts';

/** Undefined is every value. */
type KeyValues = ReadonlySet<PartitionKeyComponent> | undefined;
export type KeyBox = readonly KeyValues[];

export function keyBoxesOf(
  query: BoundQuery,
  parameters: readonly Value[],
  paths: readonly string[],
): readonly KeyBox[] {
  const { where } = containerBlock(query.block);
  const filter: Filter = {
    slot: query.documentSlot,
    paths: paths.map(parsePartitionKeyPath),
    constantOf: constantsOf(query, parameters),
  };
  return where === undefined ? [anyKey(filter)] : possible(filter, where, true);
}

interface Filter {
  readonly slot: number | undefined;
  readonly paths: readonly (readonly string[])[];
  readonly constantOf: ConstantOf;
}

type Boxes = readonly KeyBox[];

/** The keys of documents for which the expression can have this value. */
function possible(filter: Filter, expression: BoundExpression, truth: boolean): Boxes {
  const of = (part: BoundExpression, wanted: boolean = truth): Boxes => possible(filter, part, wanted);
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
      return filter.constantOf(expression)?.value === truth ? [anyKey(filter)] : [];
    case 'path':
      return withValues(filter, expression, [truth]);
    case 'unary':
      return expression.operator === 'NOT' ? of(expression.operand, !truth) : [anyKey(filter)];
    case 'chain': {
      const { operator } = expression;
      const parts = expression.operands.map((operand) => of(operand));
      return operator === 'AND'
        ? truth
          ? all(parts)
          : some(parts)
        : operator === 'OR' && !truth
          ? all(parts)
          : some(parts);
    }
    case 'conditional':
      return some([all([of(expression.condition, true), of(expression.yes)]), of(expression.no)]);
    case 'binary':
      return possibleBinary(filter, expression, truth);
    case 'in':
      return possibleIn(filter, expression, truth);
    case 'like':
      return possibleLike(filter, expression, truth);
    case 'call':
      return possibleCall(filter, expression, truth);
    default:
      return [anyKey(filter)];
  }
}

function possibleBinary(
  filter: Filter,
  expression: Extract<BoundExpression, { kind: 'binary' }>,
  truth: boolean,
): Boxes {
  const { operator, left, right } = expression;
  const known = filter.constantOf(expression);
  if (known !== undefined) return known.value === truth ? [anyKey(filter)] : [];
  // Only what says that two values are equal says something of the key.
  if (!(operator === '=' && truth) && !(operator === '!=' && !truth)) return [anyKey(filter)];
  const rightValue = filter.constantOf(right);
  const leftValue = filter.constantOf(left);
  if (rightValue !== undefined) return equal(filter, left, rightValue.value);
  return leftValue === undefined ? [anyKey(filter)] : equal(filter, right, leftValue.value);
}

function equal(filter: Filter, of: BoundExpression, value: Value): Boxes {
  if (of.kind === 'call' && of.function.definition.name === 'ABS') {
    const [operand] = of.args;
    const signed = typeof value === 'number' && value >= 0 ? [value, -value] : [];
    return operand?.kind === 'path' ? withValues(filter, operand, signed) : [anyKey(filter)];
  }
  return withValues(filter, of, [value]);
}

function possibleIn(
  filter: Filter,
  { isNegated, value, list }: Extract<BoundExpression, { kind: 'in' }>,
  truth: boolean,
): Boxes {
  const values = list.map(filter.constantOf);
  if (truth === isNegated || values.includes(undefined)) return [anyKey(filter)];
  return withValues(
    filter,
    value,
    values.map((one) => one?.value),
  );
}

/** A pattern without wildcards is a text. */
function possibleLike(
  filter: Filter,
  { isNegated, value, pattern, escapedBy }: Extract<BoundExpression, { kind: 'like' }>,
  truth: boolean,
): Boxes {
  const text = filter.constantOf(pattern)?.value;
  if (truth === isNegated || typeof text !== 'string') return [anyKey(filter)];
  const codes: number[] = [];
  for (const part of likePattern(text, escapedBy)) {
    if (part.kind !== 'unit') return [anyKey(filter)];
    codes.push(part.code);
  }
  return withValues(filter, value, [codes.map((code) => String.fromCharCode(code)).join('')]);
}

function possibleCall(
  filter: Filter,
  { function: known, args }: Extract<BoundExpression, { kind: 'call' }>,
  truth: boolean,
): Boxes {
  const [first, second, third] = args;
  if (first === undefined) return [anyKey(filter)];
  switch (known.definition.name) {
    case 'IS_NULL':
      return truth ? withValues(filter, first, [null]) : [anyKey(filter)];
    case 'IS_BOOL':
      return truth ? withValues(filter, first, [true, false]) : [anyKey(filter)];
    case 'IS_DEFINED':
      return truth ? [anyKey(filter)] : withComponents(filter, first, [undefined]);
    case 'ARRAY_CONTAINS': {
      const array = filter.constantOf(first)?.value;
      const isPartial = third === undefined ? { value: false } : filter.constantOf(third);
      if (!truth || second === undefined || !isArray(array) || isPartial === undefined) return [anyKey(filter)];
      // Every object has at least the members of an empty one, which as a key is none.
      const extra = isPartial.value === true && array.some(isObject) ? [{}] : [];
      return withValues(filter, second, [...array, ...extra]);
    }
    default:
      return [anyKey(filter)];
  }
}

/** The expression equals one of the values. */
function withValues(filter: Filter, of: BoundExpression, values: readonly Value[]): Boxes {
  return withComponents(filter, of, values.flatMap(componentsOf));
}

function withComponents(filter: Filter, of: BoundExpression, components: readonly PartitionKeyComponent[]): Boxes {
  const level =
    of.kind === 'path' && of.slot === filter.slot ? filter.paths.findIndex((path) => isSamePath(path, of.steps)) : -1;
  if (level < 0) return [anyKey(filter)];
  if (components.length === 0) return [];
  return [filter.paths.map((_, at) => (at === level ? new Set(components) : undefined))];
}

/** Nothing equals undefined; no key is infinite. An empty object is a key that is not there, and no other object can be one. */
function componentsOf(value: Value): readonly PartitionKeyComponent[] {
  if (value === undefined) return [];
  if (typeof value === 'number') return Number.isFinite(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? [undefined] : [value];
}

function isSamePath(path: readonly string[], steps: readonly (string | number)[]): boolean {
  return path.length === steps.length && path.every((name, at) => name === steps[at]);
}

function anyKey({ paths }: Filter): KeyBox {
  return paths.map(() => undefined);
}

function all(parts: readonly Boxes[]): Boxes {
  return parts.reduce((a, b) => {
    if (a.length * b.length > filterAlternativesMax) return a.length <= b.length ? a : b;
    return a.flatMap((one) => b.map((other) => intersect(one, other)).filter((box) => box !== undefined));
  });
}

function intersect(a: KeyBox, b: KeyBox): KeyBox | undefined {
  const box: KeyValues[] = [];
  for (const [level, values] of a.entries()) {
    const others = b[level];
    const both =
      values === undefined || others === undefined
        ? (values ?? others)
        : new Set([...values].filter((value) => others.has(value)));
    if (both?.size === 0) return undefined;
    box.push(both);
  }
  return box;
}

/** Boxes that restrict one and the same level become one, so that many alternatives of one value each stay small. */
function some(parts: readonly Boxes[]): Boxes {
  const kept: KeyBox[] = [];
  const valuesOfLevel = new Map<number, Set<PartitionKeyComponent>>();
  for (const box of parts.flat()) {
    const [level, ...others] = box.flatMap((values, at) => (values === undefined ? [] : [at]));
    if (level === undefined) return [box];
    const known = valuesOfLevel.get(level);
    if (others.length > 0) {
      kept.push(box);
    } else if (known === undefined) {
      const values = new Set(box[level]);
      valuesOfLevel.set(level, values);
      kept.push(box.map((_, at) => (at === level ? values : undefined)));
    } else {
      for (const value of box[level] ?? []) known.add(value);
    }
  }
  return kept;
}
