// Random trees of the whole grammar, as the parser makes them, without regard to what they mean.

import type {
  BinaryOperator,
  ChainOperator,
  Collection,
  Count,
  Expression,
  OrderBy,
  PathStep,
  Query,
  Selection,
  Source,
  SubqueryForm,
  UnaryOperator,
} from '../src/syntax/tree.ts';
import type { Draw } from './draw.ts';
import { inPercent, listOf, oneOf } from './draw.ts';

/** Where a node stands is not known: it was never written. */
const span = { start: 0, end: 0 };

const names: readonly string[] = ['c', 'x', '_', 'A1', 'first', 'All', 'LAST', 'udf', 'root', 'selects', 'True', 'nan'];
/** Such words are names only where nothing else can stand. */
const aliases: readonly string[] = [...names, 'true', 'null', 'undefined', 'NaN', 'Infinity'];
const texts: readonly string[] = [
  ...['a', '', 'order', 'value', 'rank', 'LIMIT', 'a b', '"', "'", '\\', '\n', '\u0000', '\u2028', 'é', '𝄞', '\ud800'],
  ...['-- x', '10', '__proto__', 'x'.repeat(50)],
];
const numbers: readonly number[] = [
  ...[1, 0, 7, 0.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 123456789012345680000],
  ...[Number.NaN, Number.POSITIVE_INFINITY],
];
const unaries: readonly UnaryOperator[] = ['-', '+', '~', 'NOT'];
const binaries: readonly BinaryOperator[] = [
  ...(['*', '/', '%', '+', '-', '<<', '>>', '>>>', '<', '<=', '>', '>=', '=', '!=', '&', '^', '|', '||'] as const),
];
const chains: readonly ChainOperator[] = ['AND', 'OR', '??'];
const forms: readonly SubqueryForm[] = ['scalar', 'EXISTS', 'ARRAY', 'ALL', 'FIRST', 'LAST'];

export function randomTree(draw: Draw, depth = 4): Query {
  const expression = (): Expression => randomExpression(draw, depth - 1);
  const isOffset = inPercent(draw, 30);
  return {
    kind: 'query',
    ...span,
    isDistinct: inPercent(draw, 30),
    top: inPercent(draw, 30) ? count(draw) : undefined,
    selection: selection(draw, expression),
    from: inPercent(draw, 70) ? source(draw, depth) : undefined,
    where: inPercent(draw, 50) ? expression() : undefined,
    groupBy: inPercent(draw, 25) ? listOf(draw, 3, expression, 1) : [],
    orderBy: inPercent(draw, 30) ? orderBy(draw, expression) : undefined,
    offset: isOffset ? count(draw) : undefined,
    limit: isOffset ? count(draw) : undefined,
  };
}

function count(draw: Draw): Count {
  const value = oneOf(draw, numbers.filter(Number.isFinite));
  return inPercent(draw, 60) ? { kind: 'number', value, ...span } : { kind: 'parameter', name: '@n', ...span };
}

function selection(draw: Draw, expression: () => Expression): Selection {
  switch (draw.upTo(2)) {
    case 0:
      return { kind: 'value', expression: expression(), ...span };
    case 1:
      return { kind: 'star', ...span };
    default: {
      const item = () => ({ expression: expression(), alias: optional(draw, () => oneOf(draw, aliases)), ...span });
      return { kind: 'list', items: listOf(draw, 3, item, 1), ...span };
    }
  }
}

function source(draw: Draw, depth: number): Source {
  const one = (): Source => {
    const from: Collection = collection(draw, depth);
    if (inPercent(draw, 40)) return { kind: 'each', collection: from, alias: oneOf(draw, aliases), ...span };
    return { kind: 'collection', collection: from, alias: optional(draw, () => oneOf(draw, aliases)), ...span };
  };
  return listOf(draw, 2, one).reduce<Source>((left, right) => ({ kind: 'join', left, right, ...span }), one());
}

function collection(draw: Draw, depth: number): Collection {
  if (depth > 0 && inPercent(draw, 30)) return { kind: 'subquery', query: randomTree(draw, depth - 2), ...span };
  const step = (): PathStep => (inPercent(draw, 70) ? oneOf(draw, texts) : oneOf(draw, [0, 3, 1.5, 1e21]));
  return { kind: 'path', root: oneOf(draw, aliases), steps: listOf(draw, 3, step), ...span };
}

function orderBy(draw: Draw, expression: () => Expression): OrderBy {
  const item = () => ({
    expression: expression(),
    direction: oneOf(draw, [undefined, 'ASC', 'DESC'] as const),
    ...span,
  });
  return { kind: inPercent(draw, 20) ? 'rank' : 'items', items: listOf(draw, 3, item, 1) };
}

function optional<T>(draw: Draw, make: () => T): T | undefined {
  return inPercent(draw, 50) ? make() : undefined;
}

function randomExpression(draw: Draw, depth: number): Expression {
  if (depth <= 0) return atom(draw);
  const part = (): Expression => randomExpression(draw, depth - 1);
  const isNegated = inPercent(draw, 50);
  switch (draw.upTo(13)) {
    case 0:
    case 1:
      return { kind: 'member', of: part(), name: oneOf(draw, texts), ...span };
    case 2:
      return index(part(), part());
    case 3:
      return { kind: 'array', items: listOf(draw, 3, part), ...span };
    case 4:
      return { kind: 'object', members: listOf(draw, 3, () => ({ name: oneOf(draw, texts), value: part() })), ...span };
    case 5: {
      const isUdf = inPercent(draw, 20);
      const name = isUdf ? oneOf(draw, aliases) : oneOf(draw, [...names, 'LEFT', 'RIGHT', 'count']);
      return { kind: 'call', name, isUdf, args: listOf(draw, 3, part), ...span };
    }
    case 6:
      return { kind: 'unary', operator: oneOf(draw, unaries), operand: part(), ...span };
    case 7:
      return { kind: 'binary', operator: oneOf(draw, binaries), left: part(), right: part(), ...span };
    case 8:
      return chain(oneOf(draw, chains), listOf(draw, inPercent(draw, 5) ? 80 : 4, part, 2));
    case 9:
      return { kind: 'between', isNegated, value: part(), low: part(), high: part(), ...span };
    case 10:
      return { kind: 'in', isNegated, value: part(), list: listOf(draw, 3, part, 1), ...span };
    case 11: {
      const escapedBy = optional(draw, () => oneOf(draw, texts));
      return { kind: 'like', isNegated, value: part(), pattern: part(), escapedBy, ...span };
    }
    case 12:
      return { kind: 'conditional', condition: part(), yes: part(), no: part(), ...span };
    default:
      return { kind: 'subquery', form: oneOf(draw, forms), query: randomTree(draw, depth - 2), ...span };
  }
}

function atom(draw: Draw): Expression {
  switch (draw.upTo(5)) {
    case 0:
    case 1:
      return { kind: 'name', name: oneOf(draw, names), ...span };
    case 2:
      return { kind: 'number', value: oneOf(draw, numbers), ...span };
    case 3:
      return { kind: 'string', value: oneOf(draw, texts), ...span };
    case 4:
      return { kind: 'constant', value: oneOf(draw, [true, false, null, undefined]), ...span };
    default:
      return { kind: 'parameter', name: oneOf(draw, ['@p', '@P_1', '@order']), ...span };
  }
}

/** `of["name"]` is a member. */
function index(of: Expression, by: Expression): Expression {
  if (by.kind === 'string') return { kind: 'member', of, name: by.value, ...span };
  return { kind: 'index', of, by, ...span };
}

/** What a chain begins with is no chain of the same operator, but a part of it. */
function chain(operator: ChainOperator, operands: readonly Expression[]): Expression {
  const [first, ...others] = operands;
  const begin = first?.kind === 'chain' && first.operator === operator ? first.operands : [first as Expression];
  return { kind: 'chain', operator, operands: [...begin, ...others], ...span };
}
