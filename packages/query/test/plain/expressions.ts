// Expressions, read from the tree again for every row.

import { parseResourceId, unreachable } from '@tidemark/model';
import { functionFamilies } from '../../src/functions/function-table.ts';
import type { BinaryOperator, Expression } from '../../src/syntax/tree.ts';
import type { Value } from '../../src/value/value.ts';
import { pageContext } from '../all-pages.ts';
import { aggregateNames, resultOf } from './aggregates.ts';
import { allPass, rowsOf } from './blocks.ts';
import type { Environment } from './environment.ts';
import { textOf } from './environment.ts';
import { and, compare, elementsOf, equal, like, not, objectFrom, or, partOf } from './values.ts';

export function evaluate(expression: Expression, environment: Environment): Value {
  const of = (part: Expression): Value => evaluate(part, environment);
  const { group } = environment;
  if (group !== undefined && group.keys.length > 0) {
    const text = textOf(expression);
    const key = group.keys.find((each) => each.text === text);
    if (key !== undefined) return key.value;
  }
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'constant':
      return expression.value;
    case 'parameter':
      return environment.parameters.get(expression.name);
    case 'name':
      return environment.names.get(expression.name);
    case 'member':
      return partOf(of(expression.of), expression.name);
    case 'index':
      return partOf(of(expression.of), of(expression.by));
    case 'array':
      return expression.items.map(of).filter((item) => item !== undefined);
    case 'object':
      return objectFrom(expression.members.map(({ name, value }) => [name, of(value)] as const));
    case 'call':
      return call(expression, environment);
    case 'unary':
      return unary(expression.operator, of(expression.operand));
    case 'binary':
      return binary(expression.operator, of(expression.left), of(expression.right));
    case 'chain':
      return chain(expression.operator, expression.operands.map(of));
    case 'between': {
      const value = of(expression.value);
      const isBetween = and(compare('>=', value, of(expression.low)), compare('<=', value, of(expression.high)));
      return expression.isNegated ? not(isBetween) : isBetween;
    }
    case 'in': {
      const value = of(expression.value);
      if (value === undefined) return undefined;
      const isIn = expression.list.some((item) => equal(of(item), value));
      return isIn !== expression.isNegated;
    }
    case 'like': {
      const [value, pattern] = [of(expression.value), of(expression.pattern)];
      if (typeof value !== 'string' || typeof pattern !== 'string') return undefined;
      return like(value, pattern, expression.escapedBy) !== expression.isNegated;
    }
    case 'conditional':
      return of(expression.condition) === true ? of(expression.yes) : of(expression.no);
    case 'subquery':
      return subquery(expression, environment);
  }
}

function chain(operator: 'AND' | 'OR' | '??', values: readonly Value[]): Value {
  if (operator === '??') return values.find((value) => value !== undefined);
  return values.reduce((a, b) => (operator === 'AND' ? and(a, b) : or(a, b)), operator === 'AND');
}

function unary(operator: '-' | '+' | '~' | 'NOT', a: Value): Value {
  if (operator === 'NOT') return not(a);
  if (typeof a !== 'number') return undefined;
  if (operator === '~') return -1 - (a | 0);
  return operator === '-' ? -a : a;
}

function binary(operator: BinaryOperator, a: Value, b: Value): Value {
  switch (operator) {
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator, a, b);
    case '||':
      return typeof a === 'string' && typeof b === 'string' ? [a, b].join('') : undefined;
    default:
      return typeof a === 'number' && typeof b === 'number' ? arithmetic(operator, a, b) : undefined;
  }
}

type Arithmetic = Exclude<BinaryOperator, '=' | '!=' | '<' | '<=' | '>' | '>=' | '||'>;

function arithmetic(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '>>>':
      return a >>> b;
    default:
      return unreachable(operator);
  }
}

function subquery(expression: Extract<Expression, { kind: 'subquery' }>, environment: Environment): Value {
  const inner = { ...environment, group: undefined };
  if (expression.form === 'ALL') return allPass(expression.query, inner);
  const rows = rowsOf(expression.query, inner, undefined);
  switch (expression.form) {
    case 'scalar':
    case 'FIRST':
      return rows[0];
    case 'LAST':
      return rows.at(-1);
    case 'EXISTS':
      return rows.length > 0;
    case 'ARRAY':
      return rows;
    default:
      return unreachable(expression.form);
  }
}

function call({ name, args }: Extract<Expression, { kind: 'call' }>, environment: Environment): Value {
  const upper = name.toUpperCase();
  const { group } = environment;
  if (aggregateNames.has(upper)) {
    const values = group?.rows.map((row) => evaluate(args[0] as Expression, row)) ?? [];
    return resultOf(upper, values);
  }
  const values = args.map((arg) => evaluate(arg, environment));
  if (upper === 'DOCUMENTID') return parseResourceId(partOf(values[0], '_rid') as string)?.parts.at(-1);
  return callFunction(upper, values);
}

/** The narrow door to the functions, which have tests of their own: what they take is checked here, what they mean is theirs. */
function callFunction(upper: string, values: readonly Value[]): Value {
  const found = functionFamilies
    .flatMap(({ functions }) => functions)
    .find(({ name, aliases = [] }) => [name, ...aliases].some((each) => each.toUpperCase() === upper));
  if (found === undefined) throw new Error(`there is no function ${upper}`);
  const types = found.takes.split(', ');
  const fit = values.every((value, at) => fits(value, (types[at] ?? types.at(-1) ?? '').replace(/\?|\.\.\./, '')));
  return fit ? found.call(values, pageContext) : undefined;
}

function fits(value: Value, type: string): boolean {
  if (type === 'maybe') return true;
  if (value === undefined) return false;
  if (type === 'any') return true;
  if (type === 'integer') return typeof value === 'number' && Math.trunc(value) === value && Math.abs(value) < 1 / 0;
  if (type === 'array') return elementsOf(value) !== undefined;
  if (type === 'object') return typeof value === 'object' && value !== null && elementsOf(value) === undefined;
  return typeof value === type;
}
