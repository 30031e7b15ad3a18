// From tokens to the tree, by recursive descent: clauses here, expressions in expression-parser.ts.
//
// The first thing that does not fit ends it, with its place. Time and memory grow with the length of the text and with
// nothing else: one token is looked at ahead, and nothing is read twice.

import { depthMax, queryTextMax, subqueryDepth } from '../limits.ts';
import type { QueryError } from '../query-error.ts';
import { queryError } from '../query-error.ts';
import { parseExpression } from './expression-parser.ts';
import { TokenReader } from './token-reader.ts';
import type {
  Collection,
  Count,
  Expression,
  OrderBy,
  OrderItem,
  PathStep,
  Query,
  SelectItem,
  Selection,
  Source,
} from './tree.ts';
import { childrenOf, collectionsOf, expressionsOf } from './tree.ts';

export function parseQuery(text: string): Query {
  if (text.length > queryTextMax) {
    throw queryError('SC1001', `Syntax error, the query is longer than ${queryTextMax} characters.`);
  }
  const tokens = new TokenReader(text);
  const query = parseBlock(tokens);
  tokens.expectEnd();
  checkDepth(query);
  return query;
}

export function parseBlock(tokens: TokenReader): Query {
  const start = tokens.here;
  tokens.enter(subqueryDepth);
  tokens.expectKeyword('SELECT');
  const isDistinct = tokens.takeKeyword('DISTINCT') !== undefined;
  const top = tokens.takeKeyword('TOP') === undefined ? undefined : parseCount(tokens);
  const selection = parseSelection(tokens);
  const from = tokens.takeKeyword('FROM') === undefined ? undefined : parseSource(tokens);
  const where = tokens.takeKeyword('WHERE') === undefined ? undefined : parseExpression(tokens);
  const groupBy = takeTwo(tokens, 'GROUP') ? parseList(tokens, parseExpression) : [];
  const orderBy = takeTwo(tokens, 'ORDER') ? parseOrderBy(tokens) : undefined;
  const offset = tokens.takeKeyword('OFFSET') === undefined ? undefined : parseCount(tokens);
  if (offset !== undefined) tokens.expectKeyword('LIMIT');
  const limit = offset === undefined ? undefined : parseCount(tokens);
  tokens.leave(subqueryDepth);
  return Object.freeze({
    kind: 'query',
    isDistinct,
    top,
    selection,
    from,
    where,
    groupBy,
    orderBy,
    offset,
    limit,
    start,
    end: tokens.endOfLast,
  });
}

/** `GROUP BY` and `ORDER BY`. */
function takeTwo(tokens: TokenReader, first: 'GROUP' | 'ORDER'): boolean {
  if (tokens.takeKeyword(first) === undefined) return false;
  tokens.expectKeyword('BY');
  return true;
}

function parseList<T>(tokens: TokenReader, parse: (tokens: TokenReader) => T): readonly T[] {
  const list = [parse(tokens)];
  while (tokens.takeSign(',')) list.push(parse(tokens));
  return Object.freeze(list);
}

function parseCount(tokens: TokenReader): Count {
  const token = tokens.next();
  const { start, end } = token;
  if (token.kind === 'number') return Object.freeze({ kind: 'number', value: token.value, start, end });
  if (token.kind === 'parameter') return Object.freeze({ kind: 'parameter', name: token.text, start, end });
  throw tokens.unexpected(token);
}

function parseSelection(tokens: TokenReader): Selection {
  const start = tokens.here;
  if (tokens.takeSign('*')) return Object.freeze({ kind: 'star', start, end: tokens.endOfLast });
  if (tokens.takeKeyword('VALUE') !== undefined) {
    const expression = parseExpression(tokens);
    return Object.freeze({ kind: 'value', expression, start, end: tokens.endOfLast });
  }
  const items = parseList(tokens, parseSelectItem);
  return Object.freeze({ kind: 'list', items, start, end: tokens.endOfLast });
}

function parseSelectItem(tokens: TokenReader): SelectItem {
  const start = tokens.here;
  const expression = parseExpression(tokens);
  const alias = parseAlias(tokens);
  return Object.freeze({ expression, alias, start, end: tokens.endOfLast });
}

/** `AS name`, or the name alone. */
function parseAlias(tokens: TokenReader): string | undefined {
  if (tokens.takeKeyword('AS') !== undefined) return tokens.expectName();
  return tokens.peek().kind === 'name' ? tokens.expectName() : undefined;
}

function parseSource(tokens: TokenReader): Source {
  const start = tokens.here;
  let source = parseOneSource(tokens);
  while (tokens.takeKeyword('JOIN') !== undefined) {
    const right = parseOneSource(tokens);
    source = Object.freeze({ kind: 'join', left: source, right, start, end: tokens.endOfLast });
  }
  return source;
}

function parseOneSource(tokens: TokenReader): Source {
  const start = tokens.here;
  if (tokens.peek().kind === 'name') {
    const name = tokens.expectName();
    if (tokens.takeKeyword('IN') !== undefined) {
      const collection = parseCollection(tokens);
      return Object.freeze({ kind: 'each', collection, alias: name, start, end: tokens.endOfLast });
    }
    const collection = parsePath(tokens, name, start);
    const alias = parseAlias(tokens);
    return Object.freeze({ kind: 'collection', collection, alias, start, end: tokens.endOfLast });
  }
  const collection = parseCollection(tokens);
  const alias = parseAlias(tokens);
  return Object.freeze({ kind: 'collection', collection, alias, start, end: tokens.endOfLast });
}

function parseCollection(tokens: TokenReader): Collection {
  const start = tokens.here;
  if (!tokens.takeSign('(')) return parsePath(tokens, tokens.expectName(), start);
  const query = parseBlock(tokens);
  tokens.expectSign(')');
  return Object.freeze({ kind: 'subquery', query, start, end: tokens.endOfLast });
}

function parsePath(tokens: TokenReader, root: string, start: number): Collection {
  const steps: PathStep[] = [];
  for (;;) {
    if (tokens.takeSign('.')) {
      steps.push(tokens.expectMemberName());
    } else if (tokens.takeSign('[')) {
      const token = tokens.next();
      if (token.kind !== 'string' && token.kind !== 'number') throw tokens.unexpected(token);
      steps.push(token.value);
      tokens.expectSign(']');
    } else {
      return Object.freeze({ kind: 'path', root, steps: Object.freeze(steps), start, end: tokens.endOfLast });
    }
  }
}

function parseOrderBy(tokens: TokenReader): OrderBy {
  const kind = tokens.takeKeyword('RANK') === undefined ? 'items' : 'rank';
  return Object.freeze({ kind, items: parseList(tokens, parseOrderItem) });
}

function parseOrderItem(tokens: TokenReader): OrderItem {
  const start = tokens.here;
  const expression = parseExpression(tokens);
  const direction =
    tokens.takeKeyword('ASC') !== undefined ? 'ASC' : tokens.takeKeyword('DESC') !== undefined ? 'DESC' : undefined;
  return Object.freeze({ expression, direction, start, end: tokens.endOfLast });
}

/** Operators that follow each other make a tree as deep as parentheses do, although the parser did not recurse for them. */
function checkDepth(query: Query): void {
  const open: { readonly node: Query | Expression; readonly depth: number }[] = [{ node: query, depth: 1 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { node, depth } = entry;
    if (depth > depthMax) throw tooDeep(node.start);
    if (node.kind === 'query') {
      for (const child of expressionsOf(node)) open.push({ node: child, depth: depth + 1 });
      for (const collection of collectionsOf(node.from)) {
        if (collection.kind === 'subquery') open.push({ node: collection.query, depth: depth + subqueryDepth });
      }
    } else if (node.kind === 'subquery') {
      open.push({ node: node.query, depth: depth + subqueryDepth });
    } else {
      for (const child of childrenOf(node)) open.push({ node: child, depth: depth + 1 });
    }
  }
}

function tooDeep(start: number): QueryError {
  return queryError('SC1001', `Syntax error, the query is nested deeper than ${depthMax} levels.`, {
    start,
    end: start,
  });
}
