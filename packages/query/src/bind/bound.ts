// A query that is understood: names are places, functions are found, and what is not allowed has been refused. Every alias
// has a slot, a place in the row that its block works on; parameters have places too.

import type { KnownFunction } from '../functions/function-table.ts';
import type { Span } from '../query-error.ts';
import type { BinaryOperator, ChainOperator, Count, PathStep, SubqueryForm, UnaryOperator } from '../syntax/tree.ts';
import type { AggregateKind } from '../value/aggregate.ts';
import type { Value } from '../value/value.ts';

export interface BoundQuery {
  readonly block: BoundBlock;
  readonly slotCount: number;
  /** The slot of the documents of the container; undefined for a query without FROM. */
  readonly documentSlot: number | undefined;
  /** By name, among the values that are given. */
  readonly parameterPlaces: ReadonlyMap<string, number>;
  /** Of all its blocks: what a parameter stands for is known only when the query runs. */
  readonly counts: readonly BlockCounts[];
  /** Parts of expressions that stand where computed properties were named. */
  readonly computedParts: number;
}

/** TOP, OFFSET and LIMIT, as they were written. */
export interface BlockCounts {
  readonly top: Count | undefined;
  readonly offset: Count | undefined;
  readonly limit: Count | undefined;
}

export interface BoundBlock extends BlockCounts {
  /** Its FROM begins with the documents of the container, itself or in a block within. */
  readonly isOfContainer: boolean;
  readonly isDistinct: boolean;
  readonly sources: readonly BoundSource[];
  readonly where: BoundExpression | undefined;
  /** Whether rows are put together to groups, or to one. */
  readonly isGrouped: boolean;
  readonly groupKeys: readonly BoundExpression[];
  readonly aggregates: readonly BoundAggregate[];
  readonly orderBy: readonly BoundOrderItem[];
  readonly selection: BoundSelection;
}

export type BoundSource =
  /** Every document of the container. */
  | { readonly kind: 'container'; readonly slot: number }
  /** One row, where it is defined. */
  | { readonly kind: 'value'; readonly slot: number; readonly of: BoundExpression }
  /** A row for each element. */
  | { readonly kind: 'each'; readonly slot: number; readonly of: BoundExpression }
  /** A row for each row of a subquery, or for each element of each row. */
  | { readonly kind: 'block'; readonly slot: number; readonly isEach: boolean; readonly block: BoundBlock };

export type BoundSelection =
  /** `*` and `VALUE`. */
  | { readonly kind: 'value'; readonly expression: BoundExpression }
  | {
      readonly kind: 'list';
      readonly items: readonly { readonly name: string; readonly expression: BoundExpression }[];
    };

export interface BoundOrderItem {
  readonly expression: BoundExpression;
  readonly isDescending: boolean;
  readonly span: Span;
}

export interface BoundAggregate {
  readonly kind: AggregateKind;
  readonly of: BoundExpression;
}

export type BoundExpression =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'parameter'; readonly place: number }
  /** What an alias stands for, or a part of it by fixed steps. */
  | { readonly kind: 'path'; readonly slot: number; readonly steps: readonly PathStep[] }
  | { readonly kind: 'member'; readonly of: BoundExpression; readonly name: string }
  | { readonly kind: 'index'; readonly of: BoundExpression; readonly by: BoundExpression }
  | { readonly kind: 'array'; readonly items: readonly BoundExpression[] }
  | {
      readonly kind: 'object';
      readonly members: readonly { readonly name: string; readonly value: BoundExpression }[];
    }
  | { readonly kind: 'call'; readonly function: KnownFunction; readonly args: readonly BoundExpression[] }
  | { readonly kind: 'document-id' }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: BoundExpression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: BoundExpression;
      readonly right: BoundExpression;
    }
  | { readonly kind: 'chain'; readonly operator: ChainOperator; readonly operands: readonly BoundExpression[] }
  | {
      readonly kind: 'between';
      readonly isNegated: boolean;
      readonly value: BoundExpression;
      readonly low: BoundExpression;
      readonly high: BoundExpression;
    }
  | {
      readonly kind: 'in';
      readonly isNegated: boolean;
      readonly value: BoundExpression;
      readonly list: readonly BoundExpression[];
    }
  | {
      readonly kind: 'like';
      readonly isNegated: boolean;
      readonly value: BoundExpression;
      readonly pattern: BoundExpression;
      readonly escapedBy: string | undefined;
    }
  | {
      readonly kind: 'conditional';
      readonly condition: BoundExpression;
      readonly yes: BoundExpression;
      readonly no: BoundExpression;
    }
  | { readonly kind: 'subquery'; readonly form: SubqueryForm; readonly block: BoundBlock }
  /** Of the block's groups, once they are complete. */
  | { readonly kind: 'aggregate'; readonly place: number }
  | { readonly kind: 'group-key'; readonly place: number };
