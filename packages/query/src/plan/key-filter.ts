// Which partition keys a document can have that passes a filter (spec query 5.7). The answer is never too small: what is not
// understood counts as any key.
//
// It is a list of boxes; each holds for every level of the key the values that are possible, and the document's key lies in one
// of them. An expression is asked twice: when can it be true, and, for what stands below a NOT, when can it be false.
//
// Steps are counted. Where they are used up, and where there are more values than keys would be looked up, it is any key.

import type { PartitionKeyComponent } from '@tidemark/model';
import { parsePartitionKeyPath, partitionKeyBytesMax } from '@tidemark/model';
import type { BoundExpression, BoundQuery } from '../bind/bound.ts';
import { filterAlternativesMax, filterKeysMax } from '../limits.ts';
import { likePattern } from '../value/like.ts';
import type { Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import type { ConstantOf } from './constant.ts';
import { constantsOf } from './constant.ts';
import { containerBlock } from './container-block.ts';
import { Steps } from './steps.ts';

/** Undefined is every value. */
type KeyValues = ReadonlySet<PartitionKeyComponent> | undefined;
export type KeyBox = readonly KeyValues[];

export function keyBoxesOf(
  query: BoundQuery,
  parameters: readonly Value[],
  paths: readonly string[],
  stepsMax: number,
): readonly KeyBox[] {
  const { where } = containerBlock(query.block);
  const steps = new Steps(stepsMax);
  const filter: Filter = {
    steps,
    slot: query.documentSlot,
    paths: paths.map(parsePartitionKeyPath),
    constantOf: constantsOf(query, parameters, steps),
  };
  return where === undefined ? [anyKey(filter)] : possible(filter, where, true);
}

interface Filter {
  readonly steps: Steps;
  readonly slot: number | undefined;
  readonly paths: readonly (readonly string[])[];
  readonly constantOf: ConstantOf;
}

type Boxes = readonly KeyBox[];

/** The keys of documents for which the expression can have this value. */
function possible(filter: Filter, expression: BoundExpression, truth: boolean): Boxes {
  if (!filter.steps.take(1)) return [anyKey(filter)];
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
      const isOfAll = truth ? operator === 'AND' : operator === 'OR';
      return isOfAll ? all(filter, parts) : some(filter, parts);
    }
    case 'conditional':
      return some(filter, [all(filter, [of(expression.condition, true), of(expression.yes)]), of(expression.no)]);
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
  if (truth === isNegated || list.length > filterKeysMax || levelOf(filter, value) < 0) return [anyKey(filter)];
  const values = list.map(filter.constantOf);
  if (values.includes(undefined)) return [anyKey(filter)];
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
  if (truth === isNegated || levelOf(filter, value) < 0) return [anyKey(filter)];
  const text = filter.constantOf(pattern)?.value;
  if (typeof text !== 'string' || !filter.steps.take(text.length)) return [anyKey(filter)];
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
      if (!truth || second === undefined || levelOf(filter, second) < 0) return [anyKey(filter)];
      const array = filter.constantOf(first)?.value;
      const isPartial = third === undefined ? { value: false } : filter.constantOf(third);
      if (!isArray(array) || isPartial === undefined) return [anyKey(filter)];
      if (array.length > filterKeysMax || !filter.steps.take(array.length)) return [anyKey(filter)];
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
  const isLookedUp = values.length <= filterKeysMax && levelOf(filter, of) >= 0 && filter.steps.take(values.length);
  if (!isLookedUp) return [anyKey(filter)];
  return withComponents(filter, of, values.flatMap(componentsOf));
}

function withComponents(filter: Filter, of: BoundExpression, components: readonly PartitionKeyComponent[]): Boxes {
  const level = levelOf(filter, of);
  if (level < 0) return [anyKey(filter)];
  // Documents may have a longer one, but then nobody should wait until that of each row of others is hashed.
  if (components.some((one) => typeof one === 'string' && one.length > partitionKeyBytesMax)) return [anyKey(filter)];
  if (components.length === 0) return [];
  return [filter.paths.map((_, at) => (at === level ? new Set(components) : undefined))];
}

/** Of the key that is at this path of the documents; below zero where none is. */
function levelOf({ slot, paths }: Filter, of: BoundExpression): number {
  return of.kind === 'path' && of.slot === slot ? paths.findIndex((path) => isSamePath(path, of.steps)) : -1;
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

/** Each part alone is an answer too, so the rest is left out where there are too many alternatives or no steps for them. */
function all(filter: Filter, parts: readonly Boxes[]): Boxes {
  let found: Boxes | undefined;
  for (const boxes of parts) {
    if (boxes.some(isAnyKey)) continue;
    if (found === undefined) found = boxes;
    else if (found.length * boxes.length > filterAlternativesMax) found = found.length <= boxes.length ? found : boxes;
    else found = intersectAll(filter, found, boxes) ?? found;
  }
  return found ?? [anyKey(filter)];
}

/** Undefined where it takes too many steps. */
function intersectAll({ steps }: Filter, a: Boxes, b: Boxes): Boxes | undefined {
  const found: KeyBox[] = [];
  for (const one of a) {
    for (const other of b) {
      if (!steps.take(1 + commonLevels(one, other).reduce((size, { fewer }) => size + fewer.size, 0))) return undefined;
      const box = intersect(one, other);
      if (box !== undefined) found.push(box);
    }
  }
  return found;
}

function intersect(a: KeyBox, b: KeyBox): KeyBox | undefined {
  const box = a.map((values, level) => values ?? b[level]);
  for (const { level, fewer, more } of commonLevels(a, b)) {
    const both = new Set([...fewer].filter((value) => more.has(value)));
    if (both.size === 0) return undefined;
    box[level] = both;
  }
  return box;
}

interface CommonLevel {
  readonly level: number;
  readonly fewer: ReadonlySet<PartitionKeyComponent>;
  readonly more: ReadonlySet<PartitionKeyComponent>;
}

/** Levels that both restrict. */
function commonLevels(a: KeyBox, b: KeyBox): readonly CommonLevel[] {
  return a.flatMap((values, level) => {
    const others = b[level];
    if (values === undefined || others === undefined) return [];
    return [
      values.size <= others.size ? { level, fewer: values, more: others } : { level, fewer: others, more: values },
    ];
  });
}

/** Boxes that restrict one and the same level become one, so that many alternatives of one value each stay small. */
function some(filter: Filter, parts: readonly Boxes[]): Boxes {
  const kept: KeyBox[] = [];
  const valuesOfLevel = new Map<number, Set<PartitionKeyComponent>>();
  for (const box of parts.flat()) {
    if (!filter.steps.take(1 + sizeOf(box))) return [anyKey(filter)];
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
      if (known.size > filterKeysMax) return [anyKey(filter)];
    }
  }
  return kept;
}

function isAnyKey(box: KeyBox): boolean {
  return box.every((values) => values === undefined);
}

function sizeOf(box: KeyBox): number {
  return box.reduce((size, values) => size + (values?.size ?? 0), 0);
}
