// Values that are known before there is a document: literals, parameters, and what is computed of them alone. A parameter may be large
// and named many times over, so that whatever looks into one is counted.

import { DatabaseError } from '@tidemark/model';
import type { BoundExpression, BoundQuery } from '../bind/bound.ts';
import { compileExpression } from '../compile/expression.ts';
import { Row } from '../compile/row.ts';
import { MemberNames, StoredDocument } from '../compile/stored-document.ts';
import type { FunctionContext } from '../functions/query-function.ts';
import type { Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import type { Steps } from './steps.ts';

/** Undefined where it needs a document, or a function, which may depend on the time and on chance; and where it takes too many steps. */
export type ConstantOf = (expression: BoundExpression) => { readonly value: Value } | undefined;

export function constantsOf(query: BoundQuery, parameters: readonly Value[], steps: Steps): ConstantOf {
  const names = new MemberNames();
  const size = { uncounted: 0 };
  const compiler = { query, names, size, subquery: () => () => undefined, allPass: () => () => false };
  const row = new Row(new StoredDocument(names), 0, parameters, noContext);
  const sizes = new Map<number, number>();
  const sizeOf = (place: number): number => {
    const size = sizes.get(place) ?? sizeUpTo(parameters[place], steps.left);
    sizes.set(place, size);
    return size;
  };
  return (expression) => {
    if (expression.kind === 'literal') return expression;
    const count = isPartOfParameter(expression) ? 1 : stepsOf(expression, sizeOf);
    if (count === Number.POSITIVE_INFINITY || !steps.take(count)) return undefined;
    row.begin();
    try {
      return { value: compileExpression(compiler, expression)(row) };
    } catch (error) {
      // It makes too large a value, say; but it may be that it is asked of no document.
      if (error instanceof DatabaseError) return undefined;
      throw error;
    }
  };
}

/** No function is called. */
const noContext: FunctionContext = { nowMs: () => 0, startMs: 0, random: () => 0 };

/** Nothing is looked at but the way to it. */
function isPartOfParameter(expression: BoundExpression): boolean {
  if (expression.kind === 'member') return isPartOfParameter(expression.of);
  if (expression.kind === 'index') return expression.by.kind === 'literal' && isPartOfParameter(expression.of);
  return expression.kind === 'parameter';
}

/** What it takes to work it out, where a parameter may be looked at from end to end. Infinite where it is not known before. */
function stepsOf(expression: BoundExpression, sizeOf: (place: number) => number): number {
  if (expression.kind === 'parameter') return sizeOf(expression.place);
  const parts = constantParts(expression);
  if (parts === undefined) return Number.POSITIVE_INFINITY;
  let steps = 1;
  for (const part of parts) {
    steps += stepsOf(part, sizeOf);
    if (steps === Number.POSITIVE_INFINITY) break;
  }
  return steps;
}

/** Undefined for what is no constant whatever its parts are. LIKE is none either, for it can take longer than its parts are long. */
function constantParts(expression: BoundExpression): readonly BoundExpression[] | undefined {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
      return [];
    case 'path':
    case 'call':
    case 'document-id':
    case 'subquery':
    case 'aggregate':
    case 'group-key':
    case 'like':
      return undefined;
    case 'member':
      return [expression.of];
    case 'index':
      return [expression.of, expression.by];
    case 'array':
      return expression.items;
    case 'object':
      return expression.members.map(({ value }) => value);
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'chain':
      return expression.operands;
    case 'between':
      return [expression.value, expression.low, expression.high];
    case 'in':
      return [expression.value, ...expression.list];
    case 'conditional':
      return [expression.condition, expression.yes, expression.no];
  }
}

/** Of everything in it, and of a text for so many characters each; not counted any further than is asked for. */
function sizeUpTo(value: Value, most: number): number {
  const open: Value[] = [value];
  let size = 0;
  while (open.length > 0 && size + open.length <= most) {
    const next = open.pop();
    size += 1;
    if (typeof next === 'string') size += next.length / charactersPerStep;
    else if (isArray(next)) {
      if (next.length > most) return next.length;
      open.push(...next);
    } else if (isObject(next)) {
      for (const [name, member] of Object.entries(next)) {
        size += name.length / charactersPerStep;
        open.push(member);
      }
    }
  }
  return size + open.length;
}

const charactersPerStep = 256;
