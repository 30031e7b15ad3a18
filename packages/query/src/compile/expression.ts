// A bound expression as one closure. What can be known before the first document is worked out here: fixed values, sets of IN,
// patterns of LIKE, paths into documents.

import { parseResourceId, unreachable } from '@tidemark/model';
import type { BoundBlock, BoundExpression, BoundQuery } from '../bind/bound.ts';
import type { SubqueryForm } from '../syntax/tree.ts';
import type { LikePattern } from '../value/like.ts';
import { isLike, likePattern, likeSteps } from '../value/like.ts';
import { truthAll, truthAny, truthNot } from '../value/logic.ts';
import type { Value } from '../value/value.ts';
import { elementOf, memberOf, objectOf } from '../value/value.ts';
import { ValueSet } from '../value/value-set.ts';
import { arrayBytes, bounded, objectBytes } from '../value/value-size.ts';
import { compileCall } from './call.ts';
import { comparedInOrder, isSame, keySteps } from './comparison.ts';
import { compileBinary, compileUnary } from './operators.ts';
import type { Evaluate, Row, Test } from './row.ts';
import type { MemberNames } from './stored-document.ts';

/** What compiling an expression needs of its surroundings. */
export interface Compiler {
  readonly query: BoundQuery;
  readonly names: MemberNames;
  readonly size: ProgramSize;
  /** The rows of a subquery, worked out for one row of the block around it. */
  readonly subquery: (block: BoundBlock) => SubqueryRows;
  /** Whether all rows of its FROM pass its WHERE. */
  readonly allPass: (block: BoundBlock) => Test;
}

/** Parts of expressions that are compiled and that no step stands for yet. */
interface ProgramSize {
  uncounted: number;
}

/** Gives each row of a subquery to `take`, until that says that it has enough. */
export type SubqueryRows = (row: Parameters<Evaluate>[0], take: (value: Value) => boolean) => void;

/**
 * Most expressions are so small that calls, comparisons of large values and rows are all that has to be counted. In a large one some
 * parts count for all of them.
 */
export function compileExpression(compiler: Compiler, expression: BoundExpression): Evaluate {
  const evaluate = compilePart(compiler, expression);
  const { size } = compiler;
  size.uncounted += 1;
  if (size.uncounted < partsUncountedMax) return evaluate;
  size.uncounted = 0;
  return (row) => {
    row.work.take(2 * partsUncountedMax);
    return evaluate(row);
  };
}

const partsUncountedMax = 32;

function compilePart(compiler: Compiler, expression: BoundExpression): Evaluate {
  const compile = (part: BoundExpression): Evaluate => compileExpression(compiler, part);
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      return () => value;
    }
    case 'parameter': {
      const { place } = expression;
      return (row) => row.parameters[place];
    }
    case 'path':
      return compilePath(compiler, expression);
    case 'member': {
      const of = compile(expression.of);
      const { name } = expression;
      return (row) => memberOf(of(row), name);
    }
    case 'index':
      return compileIndex(compile(expression.of), compile(expression.by));
    case 'array': {
      const items = expression.items.map(compile);
      return (row) => {
        row.work.make(arrayBytes(items.length));
        row.work.take(1 + items.length);
        return bounded(items.map((item) => item(row)).filter((value) => value !== undefined));
      };
    }
    case 'object': {
      const members = expression.members.map(({ name, value }) => [name, compile(value)] as const);
      return (row) => {
        row.work.make(objectBytes(members.length));
        row.work.take(1 + 4 * members.length);
        return bounded(objectOf(members.map(([name, value]) => [name, value(row)] as const)));
      };
    }
    case 'call':
      return compileCall(expression.function, expression.args.map(compile));
    case 'document-id':
      return compileDocumentId(compiler);
    case 'unary':
      return compileUnary(expression.operator, compile(expression.operand));
    case 'binary':
      return compileBinary(expression.operator, compile(expression.left), compile(expression.right));
    case 'chain':
      return compileChain(expression.operator, expression.operands.map(compile));
    case 'between':
      return compileBetween(
        expression.isNegated,
        compile(expression.value),
        compile(expression.low),
        compile(expression.high),
      );
    case 'in':
      return compileIn(expression, compile);
    case 'like':
      return compileLike(expression, compile);
    case 'conditional': {
      const condition = compileTest(compiler, expression.condition);
      const yes = compile(expression.yes);
      const no = compile(expression.no);
      return (row) => (condition(row) ? yes(row) : no(row));
    }
    case 'subquery':
      if (expression.form === 'ALL') return compiler.allPass(expression.block);
      return compileSubquery(expression.form, compiler.subquery(expression.block));
    case 'aggregate': {
      const { place } = expression;
      return (row) => row.group?.aggregates[place];
    }
    case 'group-key': {
      const { place } = expression;
      return (row) => row.group?.keys[place];
    }
    default:
      return unreachable(expression);
  }
}

/** Whether it is true, which is all that WHERE asks: false, undefined and everything else are one. */
export function compileTest(compiler: Compiler, expression: BoundExpression): Test {
  if (expression.kind === 'chain' && expression.operator !== '??') {
    const tests = expression.operands.map((operand) => compileTest(compiler, operand));
    const [first, second] = tests;
    if (tests.length === 2 && first !== undefined && second !== undefined) {
      return expression.operator === 'AND' ? (row) => first(row) && second(row) : (row) => first(row) || second(row);
    }
    return expression.operator === 'AND'
      ? (row) => tests.every((test) => test(row))
      : (row) => tests.some((test) => test(row));
  }
  const evaluate = compileExpression(compiler, expression);
  return (row) => {
    const { made } = row.work;
    const isTrue = evaluate(row) === true;
    row.work.forget(made);
    return isTrue;
  };
}

function compilePath(
  { query, names }: Compiler,
  { slot, steps }: Extract<BoundExpression, { kind: 'path' }>,
): Evaluate {
  if (slot === query.documentSlot) {
    if (steps.length === 0) return (row) => row.document.value;
    const path = names.pathOf(steps);
    return path === undefined ? () => undefined : (row) => row.document.read(path, row.work);
  }
  if (steps.length === 0) return (row) => row.slots[slot];
  return (row) => {
    let value = row.slots[slot];
    for (const step of steps) value = typeof step === 'number' ? elementOf(value, step) : memberOf(value, step);
    return value;
  };
}

function compileIndex(of: Evaluate, by: Evaluate): Evaluate {
  return (row) => {
    const value = of(row);
    const place = by(row);
    return typeof place === 'string' ? memberOf(value, place) : elementOf(value, place);
  };
}

/** The ordinal that the rid of a document ends with. */
function compileDocumentId({ names }: Compiler): Evaluate {
  const path = names.pathOf(['_rid']);
  return (row) => {
    const rid = path && row.document.read(path, row.work);
    return typeof rid === 'string' ? parseResourceId(rid)?.parts.at(-1) : undefined;
  };
}

function compileChain(operator: 'AND' | 'OR' | '??', operands: readonly Evaluate[]): Evaluate {
  switch (operator) {
    case 'AND':
      return (row) => truthAll(operands, (operand) => operand(row));
    case 'OR':
      return (row) => truthAny(operands, (operand) => operand(row));
    case '??':
      return (row) => {
        for (const operand of operands) {
          const value = operand(row);
          if (value !== undefined) return value;
        }
        return undefined;
      };
  }
}

function compileBetween(isNegated: boolean, value: Evaluate, low: Evaluate, high: Evaluate): Evaluate {
  const between: Evaluate = (row) => {
    const middle = value(row);
    const fromLow = comparedInOrder(middle, low(row), row.work);
    const toHigh = comparedInOrder(middle, high(row), row.work);
    return truthAll(
      [fromLow === undefined ? undefined : fromLow >= 0, toHigh === undefined ? undefined : toHigh <= 0],
      same,
    );
  };
  return isNegated ? (row) => truthNot(between(row)) : between;
}

function same(value: Value): Value {
  return value;
}

/** Of a long list only what is not fixed is looked at one by one. */
function compileIn(
  { isNegated, value, list }: Extract<BoundExpression, { kind: 'in' }>,
  compile: (part: BoundExpression) => Evaluate,
): Evaluate {
  const fixed = new ValueSet();
  for (const item of list) if (item.kind === 'literal') fixed.add(item.value);
  const others = list.filter((item) => item.kind !== 'literal').map(compile);
  const wanted = compile(value);
  return (row) => {
    const one = wanted(row);
    if (one === undefined) return undefined;
    row.work.take(keySteps(one));
    const isIn = fixed.has(one) || others.some((other) => isSame(one, other(row), row.work));
    return isIn !== isNegated;
  };
}

function compileLike(
  { isNegated, value, pattern, escapedBy }: Extract<BoundExpression, { kind: 'like' }>,
  compile: (part: BoundExpression) => Evaluate,
): Evaluate {
  const text = compile(value);
  const wanted = compile(pattern);
  const patternOf = (row: Row, now: string): LikePattern => {
    const known = row.likes.get(escapedBy, now);
    if (known !== undefined) return known;
    row.work.take(likeSteps(now));
    const made = likePattern(now, escapedBy);
    row.likes.set(escapedBy, now, made, now.length);
    return made;
  };
  return (row) => {
    const now = wanted(row);
    if (typeof now !== 'string') return undefined;
    const truth = isLike(text(row), patternOf(row, now), row.work);
    return isNegated ? truthNot(truth) : truth;
  };
}

function compileSubquery(form: Exclude<SubqueryForm, 'ALL'>, rows: SubqueryRows): Evaluate {
  switch (form) {
    case 'EXISTS':
      return (row) => {
        const { made } = row.work;
        let isThere = false;
        rows(row, () => {
          isThere = true;
          return false;
        });
        row.work.forget(made);
        return isThere;
      };
    case 'ARRAY':
      return (row) => {
        const values: Value[] = [];
        rows(row, (value) => {
          row.work.make(arrayBytes(1));
          values.push(value);
          return true;
        });
        return bounded(values);
      };
    case 'scalar':
    case 'FIRST':
      return (row) => {
        const { made } = row.work;
        let first: Value;
        rows(row, (value) => {
          first = value;
          return false;
        });
        forgetBehind(row, made, first);
        return first;
      };
    case 'LAST':
      return (row) => {
        const { made } = row.work;
        let last: Value;
        rows(row, (value) => {
          last = value;
          return true;
        });
        forgetBehind(row, made, last);
        return last;
      };
  }
}

/** Of a value without parts nothing is left of what it was made from. */
function forgetBehind(row: Row, made: number, value: Value): void {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) row.work.forget(made);
}
