// Expressions by precedence climbing: one function for operators, one for what stands between them, so that a level of
// nesting costs two calls of the stack.
//
// Spec query 1.3, loosest first: ?:  ??  OR  AND  [NOT] IN, LIKE, BETWEEN  ||  |  ^  &  = !=  < > <= >=  << >> >>>  + -
// * / %  and then unary - + ~ NOT. So `1 & 2 = 2` is `1 & (2 = 2)`, and `NOT a = b` is `(NOT a) = b`.

import { parseBlock } from './parser.ts';
import type { Token } from './token.ts';
import type { TokenReader } from './token-reader.ts';
import type {
  BinaryOperator,
  ChainOperator,
  Expression,
  ObjectMember,
  Query,
  SubqueryForm,
  UnaryOperator,
} from './tree.ts';

export function parseExpression(tokens: TokenReader): Expression {
  return climb(tokens, 0);
}

const conditionalLevel = 0;
const predicateLevel = 4;

const chainLevels: Readonly<Record<string, { readonly operator: ChainOperator; readonly level: number }>> = {
  '??': { operator: '??', level: 1 },
  OR: { operator: 'OR', level: 2 },
  AND: { operator: 'AND', level: 3 },
};

const binaryLevels: ReadonlyMap<string, { readonly operator: BinaryOperator; readonly level: number }> = new Map(
  (
    [
      ['||', 5],
      ['|', 6],
      ['^', 7],
      ['&', 8],
      ['=', 9],
      ['!=', 9],
      ['<', 10],
      ['<=', 10],
      ['>', 10],
      ['>=', 10],
      ['<<', 11],
      ['>>', 11],
      ['>>>', 11],
      ['+', 12],
      ['-', 12],
      ['*', 13],
      ['/', 13],
      ['%', 13],
    ] satisfies [BinaryOperator, number][]
  ).map(([operator, level]) => [operator, { operator, level }] as const),
);

/** Everything at this level and tighter. */
function climb(tokens: TokenReader, loosest: number): Expression {
  tokens.enter(1);
  let left = parseOperand(tokens);
  // What follows IN, LIKE or BETWEEN must be looser than these: they are no operands of each other.
  let tightest = Number.POSITIVE_INFINITY;
  for (;;) {
    const token = tokens.peek();
    const word = token.kind === 'sign' ? token.sign : token.kind === 'keyword' ? token.word : undefined;
    if (word === undefined) break;
    const chain = chainLevels[word];
    const binary = binaryLevels.get(word === '<>' ? '!=' : word);
    if (chain !== undefined && chain.level >= loosest) {
      left = parseChain(tokens, chain.operator, chain.level, left);
      tightest = chain.level;
    } else if (binary !== undefined && binary.level >= loosest && binary.level <= tightest) {
      tokens.next();
      const right = climb(tokens, binary.level + 1);
      const { start } = left;
      left = Object.freeze({ kind: 'binary', operator: binary.operator, left, right, start, end: right.end });
      tightest = binary.level;
    } else if (isPredicate(word) && predicateLevel >= loosest && predicateLevel <= tightest) {
      left = parsePredicate(tokens, left);
      tightest = predicateLevel - 1;
    } else if (word === '?' && loosest === conditionalLevel) {
      tokens.next();
      const condition = left;
      const yes = climb(tokens, conditionalLevel);
      tokens.expectSign(':');
      const no = climb(tokens, conditionalLevel);
      left = Object.freeze({ kind: 'conditional', condition, yes, no, start: condition.start, end: no.end });
    } else {
      break;
    }
  }
  tokens.leave(1);
  return left;
}

/** `(a OR b) OR c` is one chain: these operators are associative. */
function parseChain(tokens: TokenReader, operator: ChainOperator, level: number, left: Expression): Expression {
  const operands = left.kind === 'chain' && left.operator === operator ? [...left.operands] : [left];
  while (operator === '??' ? tokens.takeSign('??') : tokens.takeKeyword(operator) !== undefined) {
    operands.push(climb(tokens, level + 1));
  }
  const { start } = left;
  return Object.freeze({ kind: 'chain', operator, operands: Object.freeze(operands), start, end: tokens.endOfLast });
}

function isPredicate(word: string): boolean {
  return word === 'IN' || word === 'LIKE' || word === 'BETWEEN' || word === 'NOT';
}

function parsePredicate(tokens: TokenReader, value: Expression): Expression {
  const isNegated = tokens.takeKeyword('NOT') !== undefined;
  const { start } = value;
  const operand = (): Expression => climb(tokens, predicateLevel + 1);
  if (tokens.takeKeyword('BETWEEN') !== undefined) {
    const low = operand();
    tokens.expectKeyword('AND');
    const high = operand();
    return Object.freeze({ kind: 'between', isNegated, value, low, high, start, end: high.end });
  }
  if (tokens.takeKeyword('LIKE') !== undefined) {
    const pattern = operand();
    const escapedBy = tokens.takeKeyword('ESCAPE') === undefined ? undefined : parseEscape(tokens);
    return Object.freeze({ kind: 'like', isNegated, value, pattern, escapedBy, start, end: tokens.endOfLast });
  }
  tokens.expectKeyword('IN');
  tokens.expectSign('(');
  const list = parseList(tokens, ')', false);
  return Object.freeze({ kind: 'in', isNegated, value, list, start, end: tokens.endOfLast });
}

function parseEscape(tokens: TokenReader): string {
  const token = tokens.next();
  if (token.kind !== 'string') throw tokens.unexpected(token);
  return token.value;
}

function parseOperand(tokens: TokenReader): Expression {
  const operators: { readonly operator: UnaryOperator; readonly start: number }[] = [];
  for (;;) {
    const token = tokens.peek();
    const operator = unaryOf(token);
    if (operator === undefined) break;
    operators.push({ operator, start: token.start });
    tokens.next();
  }
  let operand = parsePostfix(tokens, parsePrimary(tokens, tokens.next()));
  for (const { operator, start } of operators.reverse()) {
    operand = Object.freeze({ kind: 'unary', operator, operand, start, end: operand.end });
  }
  return operand;
}

function unaryOf(token: Token): UnaryOperator | undefined {
  if (token.kind === 'keyword') return token.word === 'NOT' ? 'NOT' : undefined;
  if (token.kind !== 'sign') return undefined;
  return token.sign === '-' || token.sign === '+' || token.sign === '~' ? token.sign : undefined;
}

function parsePostfix(tokens: TokenReader, primary: Expression): Expression {
  let of = primary;
  for (;;) {
    const { start } = of;
    if (tokens.takeSign('.')) {
      const name = tokens.expectMemberName();
      of = Object.freeze({ kind: 'member', of, name, start, end: tokens.endOfLast });
    } else if (tokens.takeSign('[')) {
      const by = climb(tokens, 0);
      tokens.expectSign(']');
      const end = tokens.endOfLast;
      of =
        by.kind === 'string'
          ? Object.freeze({ kind: 'member', of, name: by.value, start, end })
          : Object.freeze({ kind: 'index', of, by, start, end });
    } else {
      return of;
    }
  }
}

function parsePrimary(tokens: TokenReader, token: Token): Expression {
  const { start, end } = token;
  switch (token.kind) {
    case 'number':
      return Object.freeze({ kind: 'number', value: token.value, start, end });
    case 'string':
      return Object.freeze({ kind: 'string', value: token.value, start, end });
    case 'parameter':
      return Object.freeze({ kind: 'parameter', name: token.text, start, end });
    case 'name':
      return parseName(tokens, token.text, start, end);
    case 'keyword':
      if (token.word === 'LEFT' || token.word === 'RIGHT') {
        tokens.expectSign('(');
        return parseCall(tokens, token.word, false, start);
      }
      if (token.word === 'EXISTS' || token.word === 'ARRAY') {
        tokens.expectSign('(');
        return parseSubquery(tokens, token.word, start);
      }
      throw tokens.unexpected(token);
    case 'sign':
      if (token.sign === '(') return parseParentheses(tokens, start);
      if (token.sign === '[') {
        const items = parseList(tokens, ']', true);
        return Object.freeze({ kind: 'array', items, start, end: tokens.endOfLast });
      }
      if (token.sign === '{') return parseObject(tokens, start);
      throw tokens.unexpected(token);
    case 'end':
      throw tokens.unexpected(token);
  }
}

/** Literal words are lower case, but for the two numbers that JSON does not have. */
function parseName(tokens: TokenReader, text: string, start: number, end: number): Expression {
  if (constants.has(text)) return Object.freeze({ kind: 'constant', value: constants.get(text), start, end });
  if (text === 'NaN') return Object.freeze({ kind: 'number', value: Number.NaN, start, end });
  if (text === 'Infinity') return Object.freeze({ kind: 'number', value: Number.POSITIVE_INFINITY, start, end });
  if (text === 'udf' && tokens.takeSign('.')) {
    const name = tokens.expectName();
    tokens.expectSign('(');
    return parseCall(tokens, name, true, start);
  }
  if (!tokens.takeSign('(')) return Object.freeze({ kind: 'name', name: text, start, end });
  const form = text.toUpperCase();
  if ((form === 'ALL' || form === 'FIRST' || form === 'LAST') && tokens.isKeyword('SELECT')) {
    return parseSubquery(tokens, form, start);
  }
  return parseCall(tokens, text, false, start);
}

const constants: ReadonlyMap<string, boolean | null | undefined> = new Map<string, boolean | null | undefined>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

function parseCall(tokens: TokenReader, name: string, isUdf: boolean, start: number): Expression {
  const args = parseList(tokens, ')', true);
  return Object.freeze({ kind: 'call', name, isUdf, args, start, end: tokens.endOfLast });
}

function parseParentheses(tokens: TokenReader, start: number): Expression {
  if (tokens.isKeyword('SELECT')) return parseSubquery(tokens, 'scalar', start);
  const inner = climb(tokens, 0);
  tokens.expectSign(')');
  return inner;
}

/** The parenthesis that opens it has been taken. */
function parseSubquery(tokens: TokenReader, form: SubqueryForm, start: number): Expression {
  const query: Query = parseBlock(tokens);
  tokens.expectSign(')');
  return Object.freeze({ kind: 'subquery', form, query, start, end: tokens.endOfLast });
}

/** Up to the sign that closes it, which is taken. */
function parseList(tokens: TokenReader, close: string, mayBeEmpty: boolean): readonly Expression[] {
  const list: Expression[] = [];
  if (mayBeEmpty && tokens.takeSign(close)) return Object.freeze(list);
  do {
    list.push(climb(tokens, 0));
  } while (tokens.takeSign(','));
  tokens.expectSign(close);
  return Object.freeze(list);
}

function parseObject(tokens: TokenReader, start: number): Expression {
  const members: ObjectMember[] = [];
  if (!tokens.takeSign('}')) {
    do {
      const token = tokens.next();
      const isName = token.kind === 'string' || token.kind === 'name' || token.kind === 'keyword';
      if (!isName) throw tokens.unexpected(token);
      tokens.expectSign(':');
      const value = climb(tokens, 0);
      members.push(Object.freeze({ name: token.kind === 'string' ? token.value : token.text, value }));
    } while (tokens.takeSign(','));
    tokens.expectSign('}');
  }
  return Object.freeze({ kind: 'object', members: Object.freeze(members), start, end: tokens.endOfLast });
}
