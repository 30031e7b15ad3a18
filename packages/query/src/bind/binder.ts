// From the tree to a bound query: clauses here, expressions in expression-binder.ts. Whatever is wrong is gathered, and
// told together with its places, as the service does.

import { DatabaseError } from '@tidemark/model';
import { countMax, joinsMax, problemsMax } from '../limits.ts';
import type { QueryProblem, Span } from '../query-error.ts';
import { QueryError } from '../query-error.ts';
import type { Collection, Count, OrderItem, Query, Selection, Source } from '../syntax/tree.ts';
import type {
  BlockCounts,
  BoundAggregate,
  BoundBlock,
  BoundExpression,
  BoundOrderItem,
  BoundQuery,
  BoundSelection,
  BoundSource,
} from './bound.ts';
import type { ContainerFacts } from './container-facts.ts';
import { bindExpression, containsAggregate, lostMessage, pathOf } from './expression-binder.ts';
import { GroupKeys } from './group-keys.ts';
import { impliedAlias, Scope } from './scope.ts';
import { isVectorDistance, isVectorDistanceDescending } from './vector-order.ts';

/** Throws a QueryError with all that is wrong, or where that is very much with what comes first. */
export function bindQuery(query: Query, parameterNames: readonly string[], facts: ContainerFacts): BoundQuery {
  const binder = new Binder(parameterNames, facts);
  const block = binder.bindBlock(query, undefined, true);
  if (binder.problems.length > 0) throw new QueryError(binder.problems.concat(binder.unnamedProblems()));
  return {
    block,
    slotCount: binder.slotCount,
    documentSlot: binder.documentSlot,
    parameterPlaces: binder.parameterPlaces,
    counts: binder.counts,
    computedParts: binder.computedParts,
  };
}

/** Where an expression stands, and what it may use there. */
export interface Place {
  readonly binder: Binder;
  readonly scope: Scope;
  /** The clause, for what is said of an aggregate that must not be there. Undefined in the select list. */
  readonly clause: 'WHERE' | 'FROM' | 'GROUP BY' | 'ORDER BY' | undefined;
  /** Set where rows have become groups: only keys and aggregates are left of them. */
  readonly grouping: Grouping | undefined;
}

interface Grouping {
  /** What is written the same is the same. */
  readonly keys: GroupKeys;
  readonly aggregates: BoundAggregate[];
  /** For what is inside of an aggregate. */
  readonly rowPlace: Place;
}

class Binder {
  /** Of each name where it was given first. */
  readonly parameterPlaces: ReadonlyMap<string, number>;
  readonly facts: ContainerFacts;
  readonly problems: QueryProblem[] = [];
  readonly counts: BlockCounts[] = [];
  slotCount = 0;
  udfCalls = 0;
  computedParts = 0;
  documentSlot: number | undefined;
  /** Expressions that stand where a computed property was named. */
  readonly computed: Set<BoundExpression> = new Set();
  /** Beyond those that are named. */
  #problemsLeft = 0;

  constructor(parameterNames: readonly string[], facts: ContainerFacts) {
    this.parameterPlaces = new Map(parameterNames.map((name, place) => [name, place] as const).reverse());
    this.facts = facts;
  }

  fail(code: string | number, message: string, span: Span): void {
    if (this.problems.length < problemsMax) {
      this.problems.push({ code, message, span: { start: span.start, end: span.end } });
    } else {
      this.#problemsLeft += 1;
    }
  }

  unnamedProblems(): readonly QueryProblem[] {
    const count = this.#problemsLeft;
    if (count === 0) return [];
    const mistakes = count === 1 ? 'There is 1 more mistake' : `There are ${count} more mistakes`;
    return [{ code: undefined, message: `${mistakes} in the query.` }];
  }

  newSlot(): number {
    this.slotCount += 1;
    return this.slotCount - 1;
  }

  /** `mayNameContainer`: its FROM begins with the container, or with a block whose FROM does. */
  bindBlock(query: Query, outer: Scope | undefined, mayNameContainer: boolean): BoundBlock {
    const scope = new Scope(outer);
    const isOutermost = outer === undefined && mayNameContainer && this.slotCount === 0;
    const isNamed = this.documentSlot !== undefined;
    const sources = this.#bindFrom(query, scope, mayNameContainer);
    const isOfContainer = mayNameContainer && !isNamed && this.documentSlot !== undefined;
    const place: Place = { binder: this, scope, clause: undefined, grouping: undefined };
    const where = query.where && bindExpression(query.where, { ...place, clause: 'WHERE' });
    const groupKeys = query.groupBy.map((key) => bindExpression(key, { ...place, clause: 'GROUP BY' }));
    const isGrouped = groupKeys.length > 0 || hasAggregates(query.selection);
    const grouping: Grouping | undefined = isGrouped
      ? { keys: new GroupKeys(query.groupBy), aggregates: [], rowPlace: place }
      : undefined;
    const selection = this.#bindSelection(query, sources, { ...place, grouping });
    const orderBy = this.#bindOrderBy(query, { ...place, clause: 'ORDER BY', grouping });
    this.#checkCounts(query);
    if (isOutermost && this.problems.length === 0) this.#checkOutermost(orderBy, sources);
    return {
      isOfContainer,
      isDistinct: query.isDistinct,
      top: query.top,
      offset: query.offset,
      limit: query.limit,
      sources,
      where,
      isGrouped,
      groupKeys,
      aggregates: grouping?.aggregates ?? [],
      orderBy,
      selection,
    };
  }

  #bindFrom(query: Query, scope: Scope, mayNameContainer: boolean): readonly BoundSource[] {
    const written = sourcesOf(query.from);
    if (written.length - 1 > joinsMax) {
      this.fail(
        'SC3003',
        `The SQL query exceeded the maximum number of joins. The allowed limit is ${joinsMax}.`,
        query,
      );
    }
    return written.map((source, at) => this.#bindSource(source, scope, mayNameContainer && at === 0));
  }

  #bindSource(source: Exclude<Source, { kind: 'join' }>, scope: Scope, mayNameContainer: boolean): BoundSource {
    const { collection } = source;
    const isEach = source.kind === 'each';
    const bound =
      collection.kind === 'subquery'
        ? this.#bindSubquerySource(collection.query, scope, mayNameContainer, isEach)
        : this.#bindPathSource(collection, scope, mayNameContainer, isEach);
    const alias =
      source.alias ?? (collection.kind === 'path' ? impliedAlias(collection.root, collection.steps) : undefined);
    if (alias !== undefined && !scope.add(alias, bound.slot)) {
      this.fail('SC2003', `The alias '${alias}' was specified multiple times.`, source);
    }
    return bound;
  }

  #bindSubquerySource(query: Query, scope: Scope, mayNameContainer: boolean, isEach: boolean): BoundSource {
    const block = this.bindBlock(query, scope, mayNameContainer);
    return { kind: 'block', slot: this.newSlot(), isEach, block };
  }

  #bindPathSource(
    path: Extract<Collection, { kind: 'path' }>,
    scope: Scope,
    mayNameContainer: boolean,
    isEach: boolean,
  ): BoundSource {
    const { root, steps } = path;
    let slot = scope.find(root);
    if (slot === undefined && mayNameContainer && this.documentSlot === undefined) {
      slot = this.newSlot();
      this.documentSlot = slot;
      if (steps.length === 0 && !isEach) return { kind: 'container', slot };
    }
    const span = { start: path.start, end: path.start + root.length };
    if (slot === undefined) {
      this.fail('SC2001', `Identifier '${root}' could not be resolved.`, span);
      slot = 0;
    } else if (scope.isLost(root)) {
      this.fail('SC2102', lostMessage(root), span);
    }
    const of = pathOf(this, slot, steps);
    return { kind: isEach ? 'each' : 'value', slot: this.newSlot(), of };
  }

  #bindSelection(query: Query, sources: readonly BoundSource[], place: Place): BoundSelection {
    const { selection } = query;
    switch (selection.kind) {
      case 'star':
        return this.#bindStar(query, sources);
      case 'value':
        return { kind: 'value', expression: bindExpression(selection.expression, place) };
      case 'list':
        return { kind: 'list', items: this.#bindItems(selection, place) };
    }
  }

  #bindStar(query: Query, sources: readonly BoundSource[]): BoundSelection {
    const { selection } = query;
    if (query.groupBy.length > 0) {
      this.fail('SC2041', "'SELECT *' is not allowed with GROUP BY.", selection);
    } else if (sources.length === 0) {
      this.fail('SC2040', "'SELECT *' is not valid if FROM clause is omitted.", selection);
    } else if (sources.length > 1) {
      this.fail('SC2040', "'SELECT *' is only valid with a single input set.", selection);
    }
    const slot = sources[0]?.slot ?? 0;
    return { kind: 'value', expression: { kind: 'path', slot, steps: [] } };
  }

  #bindItems(
    { items }: Extract<Selection, { kind: 'list' }>,
    place: Place,
  ): readonly { readonly name: string; readonly expression: BoundExpression }[] {
    const names = new Set<string>();
    const columnNames = columnNamesOf(items);
    return items.map((item, at) => {
      const name = columnNames[at] as string;
      if (names.has(name)) this.fail('SC2011', `The column name '${name}' was specified multiple times.`, item);
      names.add(name);
      return { name, expression: bindExpression(item.expression, place) };
    });
  }

  #bindOrderBy(query: Query, place: Place): readonly BoundOrderItem[] {
    const { orderBy } = query;
    if (orderBy === undefined) return [];
    if (orderBy.kind === 'rank') {
      throw new DatabaseError('not-supported', 'ORDER BY RANK, with the scores of full text, is not there yet.');
    }
    if (query.groupBy.length > 0) {
      const [first] = orderBy.items;
      this.fail('SC2105', 'ORDER BY is not supported together with GROUP BY.', first as OrderItem);
    }
    // One group has no order, and the rows in it are gone: what ORDER BY says of them is checked and left out.
    const rowPlace: Place = { ...place, grouping: undefined };
    const items = orderBy.items.map((item) => this.#bindOrderItem(item, rowPlace));
    return place.grouping === undefined ? items : [];
  }

  #bindOrderItem({ expression, direction, start, end }: OrderItem, place: Place): BoundOrderItem {
    const span = { start, end };
    const bound = bindExpression(expression, place);
    if (!isVectorDistance(bound)) return { expression: bound, isDescending: direction === 'DESC', span };
    if (direction !== undefined) {
      this.fail('SC2106', 'ORDER BY VectorDistance has no direction: the most similar come first.', span);
    }
    const isDescending = isVectorDistanceDescending(bound);
    if (isDescending === undefined) {
      this.fail(
        'SC2106',
        'The options of VectorDistance in ORDER BY must be written out, not given as a parameter.',
        span,
      );
    }
    return { expression: bound, isDescending: isDescending === true, span };
  }

  #checkOutermost(orderBy: readonly BoundOrderItem[], sources: readonly BoundSource[]): void {
    for (const { expression, span } of orderBy) {
      // Spec query 4: what is sorted by is a path of the documents, for one day an index has it.
      if (expression.kind === 'path' && expression.slot === sources[0]?.slot && expression.steps.length > 0) continue;
      if (isVectorDistance(expression) || this.#isComputed(expression)) continue;
      const message = 'Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.';
      this.fail(2206, message, span);
    }
  }

  /** What takes the place of a computed property is the very expression of it. */
  #isComputed(expression: BoundExpression): boolean {
    return this.computed.has(expression);
  }

  #checkCounts({ top, offset, limit }: Query): void {
    this.counts.push({ top, offset, limit });
    this.#checkCount(top, 'SC2060', 'The count value provided for a TOP clause must be an integer.');
    this.#checkCount(limit, 'SC2061', 'The LIMIT count value exceeds the maximum allowed value.');
    this.#checkCount(offset, 'SC2062', 'The OFFSET count value exceeds the maximum allowed value.');
    if (top !== undefined && offset !== undefined) {
      this.fail('SC2204', 'TOP and OFFSET LIMIT cannot be used together.', top);
    }
  }

  #checkCount(count: Count | undefined, code: string, message: string): void {
    if (count === undefined) return;
    if (count.kind === 'parameter') {
      bindExpression(count, { binder: this, scope: new Scope(undefined), clause: undefined, grouping: undefined });
    } else if (!Number.isInteger(count.value) || count.value > countMax) {
      this.fail(code, message, count);
    }
  }
}

function sourcesOf(source: Source | undefined): readonly Exclude<Source, { kind: 'join' }>[] {
  const found: Exclude<Source, { kind: 'join' }>[] = [];
  for (let rest = source; rest !== undefined; ) {
    if (rest.kind !== 'join') {
      found.push(rest);
      break;
    }
    found.push(...sourcesOf(rest.right));
    rest = rest.left;
  }
  return found.reverse();
}

/** A member is called as its last step, everything else `$1`, `$2` and so on (spec query 1.5). */
function columnNamesOf(items: Extract<Selection, { kind: 'list' }>['items']): readonly string[] {
  let unnamed = 0;
  return items.map(({ alias, expression }) => {
    if (alias !== undefined) return alias;
    if (expression.kind === 'member' || expression.kind === 'name') return expression.name;
    unnamed += 1;
    return `$${unnamed}`;
  });
}

function hasAggregates(selection: Selection): boolean {
  if (selection.kind === 'star') return false;
  if (selection.kind === 'value') return containsAggregate(selection.expression);
  return selection.items.some((item) => containsAggregate(item.expression));
}
