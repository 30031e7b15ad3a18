// The tree of a query as it was written. Nodes are data, frozen when they are made; `kind` says which one.
//
// Chains of AND, OR and `??` are one node with all their operands, so that five hundred conditions are not five hundred
// levels deep.

import type { Span } from '../query-error.ts';

export interface Query extends Span {
  readonly kind: 'query';
  readonly isDistinct: boolean;
  readonly top: Count | undefined;
  readonly selection: Selection;
  readonly from: Source | undefined;
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly orderBy: OrderBy | undefined;
  readonly offset: Count | undefined;
  readonly limit: Count | undefined;
}

/** Of TOP, OFFSET and LIMIT. */
export type Count = NumberLiteral | Parameter;

export type Selection =
  | (Span & { readonly kind: 'star' })
  | (Span & { readonly kind: 'value'; readonly expression: Expression })
  | (Span & { readonly kind: 'list'; readonly items: readonly SelectItem[] });

export interface SelectItem extends Span {
  readonly expression: Expression;
  readonly alias: string | undefined;
}

export type OrderBy =
  | { readonly kind: 'items'; readonly items: readonly OrderItem[] }
  /** ORDER BY RANK, for full text and hybrids. */
  | { readonly kind: 'rank'; readonly items: readonly OrderItem[] };

export interface OrderItem extends Span {
  readonly expression: Expression;
  /** Undefined where nothing was written, which is ascending. */
  readonly direction: 'ASC' | 'DESC' | undefined;
}

export type Source =
  | (Span & { readonly kind: 'collection'; readonly collection: Collection; readonly alias: string | undefined })
  /** `alias IN collection`: the elements of an array. */
  | (Span & { readonly kind: 'each'; readonly collection: Collection; readonly alias: string })
  | (Span & { readonly kind: 'join'; readonly left: Source; readonly right: Source });

export type Collection =
  | (Span & { readonly kind: 'path'; readonly root: string; readonly steps: readonly PathStep[] })
  | (Span & { readonly kind: 'subquery'; readonly query: Query });

/** A name, or a place in an array. */
export type PathStep = string | number;

export type UnaryOperator = '-' | '+' | '~' | 'NOT';

export type BinaryOperator =
  | '*'
  | '/'
  | '%'
  | '+'
  | '-'
  | '<<'
  | '>>'
  | '>>>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '='
  | '!='
  | '&'
  | '^'
  | '|'
  | '||';

type NumberLiteral = Span & { readonly kind: 'number'; readonly value: number };
type Parameter = Span & { readonly kind: 'parameter'; readonly name: string };
export type SubqueryForm = 'scalar' | 'EXISTS' | 'ARRAY' | 'ALL' | 'FIRST' | 'LAST';

export type Expression =
  | NumberLiteral
  | (Span & { readonly kind: 'string'; readonly value: string })
  | (Span & { readonly kind: 'constant'; readonly value: boolean | null | undefined })
  | Parameter
  /** An alias of FROM. */
  | (Span & { readonly kind: 'name'; readonly name: string })
  /** `of.name` and `of["name"]`, which are the same. */
  | (Span & { readonly kind: 'member'; readonly of: Expression; readonly name: string })
  | (Span & { readonly kind: 'index'; readonly of: Expression; readonly by: Expression })
  | (Span & { readonly kind: 'array'; readonly items: readonly Expression[] })
  | (Span & { readonly kind: 'object'; readonly members: readonly ObjectMember[] })
  | (Span & {
      readonly kind: 'call';
      readonly name: string;
      readonly isUdf: boolean;
      readonly args: readonly Expression[];
    })
  | (Span & { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression })
  | (Span & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Span & { readonly kind: 'chain'; readonly operator: ChainOperator; readonly operands: readonly Expression[] })
  | (Span & {
      readonly kind: 'between';
      readonly isNegated: boolean;
      readonly value: Expression;
      readonly low: Expression;
      readonly high: Expression;
    })
  | (Span & {
      readonly kind: 'in';
      readonly isNegated: boolean;
      readonly value: Expression;
      readonly list: readonly Expression[];
    })
  | (Span & {
      readonly kind: 'like';
      readonly isNegated: boolean;
      readonly value: Expression;
      readonly pattern: Expression;
      readonly escapedBy: string | undefined;
    })
  | (Span & {
      readonly kind: 'conditional';
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    })
  | (Span & { readonly kind: 'subquery'; readonly form: SubqueryForm; readonly query: Query });

export type ChainOperator = 'AND' | 'OR' | '??';

export interface ObjectMember {
  readonly name: string;
  readonly value: Expression;
}

/** The expressions of one node, from left to right; those of a subquery are not among them. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'constant':
    case 'parameter':
    case 'name':
    case 'subquery':
      return [];
    case 'member':
      return [expression.of];
    case 'index':
      return [expression.of, expression.by];
    case 'array':
      return expression.items;
    case 'object':
      return expression.members.map((member) => member.value);
    case 'call':
      return expression.args;
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
    case 'like':
      return [expression.value, expression.pattern];
    case 'conditional':
      return [expression.condition, expression.yes, expression.no];
  }
}

/** The expressions of a query itself, in the order in which they stand in the text. */
export function expressionsOf(query: Query): readonly Expression[] {
  const { selection } = query;
  return [
    ...(query.top === undefined ? [] : [query.top]),
    ...(selection.kind === 'value' ? [selection.expression] : []),
    ...(selection.kind === 'list' ? selection.items.map((item) => item.expression) : []),
    ...(query.where === undefined ? [] : [query.where]),
    ...query.groupBy,
    ...(query.orderBy === undefined ? [] : query.orderBy.items.map((item) => item.expression)),
    ...(query.offset === undefined ? [] : [query.offset]),
    ...(query.limit === undefined ? [] : [query.limit]),
  ];
}

/** The collections of FROM, from left to right. */
export function collectionsOf(source: Source | undefined): readonly Collection[] {
  const found: Collection[] = [];
  for (let rest = source; rest !== undefined; ) {
    if (rest.kind !== 'join') {
      found.push(rest.collection);
      break;
    }
    // What is joined is one collection: joins lean to the left.
    found.push(...collectionsOf(rest.right));
    rest = rest.left;
  }
  return found.reverse();
}
