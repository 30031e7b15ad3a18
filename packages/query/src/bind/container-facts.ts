// What the definition of a container says of the meaning of queries: computed properties, and how vectors are compared.

import { DatabaseError } from '@tidemark/model';
import { QueryError } from '../query-error.ts';
import { parseQuery } from '../syntax/parser.ts';
import type { Expression, PathStep, Query } from '../syntax/tree.ts';
import { childrenOf } from '../syntax/tree.ts';

export interface ContainerFacts {
  /** By name. */
  readonly computed: ReadonlyMap<string, ComputedProperty>;
  readonly vectors: readonly VectorEmbedding[];
  /** Two containers with the same have the same facts. */
  readonly name: string;
}

/** `SELECT VALUE <expression> FROM <alias>`: a member that is worked out, and never stored. */
interface ComputedProperty {
  readonly alias: string;
  readonly expression: Expression;
  /** The expression and all within it. */
  readonly partCount: number;
}

interface VectorEmbedding {
  readonly steps: readonly PathStep[];
  readonly distanceFunction: string;
}

export const noFacts: ContainerFacts = { computed: new Map(), vectors: [], name: '' };

/** As in the service. */
const computedMax = 20;
/** Wire: members that the service gives a meaning of its own. */
const reservedNames: ReadonlySet<string> = new Set(['id', '_rid', '_ts', '_etag', '_self', '_attachments', '_lsn']);

/** Of the JSON of a definition. Throws invalid-definition. */
export function readContainerFacts(definition: Readonly<Record<string, unknown>>): ContainerFacts {
  const { computedProperties = [], vectorEmbeddingPolicy } = definition;
  const { vectorEmbeddings = [] } = Object(vectorEmbeddingPolicy) as { vectorEmbeddings?: unknown };
  if (!Array.isArray(computedProperties)) throw invalid('computedProperties is an array of {"name", "query"}.');
  if (computedProperties.length > computedMax)
    throw invalid(`A container has at most ${computedMax} computedProperties.`);
  const computed = new Map<string, ComputedProperty>();
  for (const each of computedProperties as unknown[]) {
    const { name, query } = Object(each) as { name?: unknown; query?: unknown };
    if (typeof name !== 'string' || name === '' || typeof query !== 'string') {
      throw invalid('Each of computedProperties is {"name": "…", "query": "SELECT VALUE … FROM c"}.');
    }
    if (reservedNames.has(name)) throw invalid(`A computed property cannot be called '${name}'.`);
    if (computed.has(name)) throw invalid(`The computed property '${name}' is defined twice.`);
    computed.set(name, readComputed(name, query));
  }
  for (const [name, { alias, expression }] of computed) checkIndependent(name, alias, expression, computed);
  const vectors = Array.isArray(vectorEmbeddings) ? (vectorEmbeddings as unknown[]).flatMap(readEmbedding) : [];
  if (computed.size === 0 && vectors.length === 0) return noFacts;
  return { computed, vectors, name: JSON.stringify([computedProperties, vectorEmbeddings]) };
}

function readComputed(name: string, text: string): ComputedProperty {
  let query: Query;
  try {
    query = parseQuery(text);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw invalid(`The query of the computed property '${name}' cannot be understood: ${error.message}`);
  }
  const { selection, from, where, groupBy, orderBy, offset, top, isDistinct } = query;
  const isPlain = where === undefined && groupBy.length === 0 && orderBy === undefined && offset === undefined;
  const isAlias = from?.kind === 'collection' && from.collection.kind === 'path' && from.collection.steps.length === 0;
  if (selection.kind !== 'value' || !isPlain || !isAlias || top !== undefined || isDistinct) {
    throw invalid(`The query of the computed property '${name}' must have the form SELECT VALUE <expression> FROM c.`);
  }
  const { expression } = selection;
  if (hasKind(expression, 'subquery')) throw invalid(`The computed property '${name}' must not have a subquery.`);
  if (hasKind(expression, 'parameter')) throw invalid(`The computed property '${name}' must not have a parameter.`);
  const alias = from.alias ?? (from.collection.kind === 'path' ? from.collection.root : '');
  return { alias, expression, partCount: countParts(expression) };
}

function countParts(expression: Expression): number {
  return childrenOf(expression).reduce((count, child) => count + countParts(child), 1);
}

function hasKind(expression: Expression, kind: Expression['kind']): boolean {
  return expression.kind === kind || childrenOf(expression).some((child) => hasKind(child, kind));
}

/** A computed property is of what is stored. */
function checkIndependent(
  name: string,
  alias: string,
  expression: Expression,
  computed: ReadonlyMap<string, ComputedProperty>,
): void {
  if (expression.kind === 'member' && expression.of.kind === 'name' && expression.of.name === alias) {
    if (computed.has(expression.name)) {
      throw invalid(`The computed property '${name}' must not use another one, '${expression.name}'.`);
    }
  }
  for (const child of childrenOf(expression)) checkIndependent(name, alias, child, computed);
}

/** Its other members are the index's business. */
function readEmbedding(embedding: unknown): readonly VectorEmbedding[] {
  const { path, distanceFunction } = Object(embedding) as { path?: unknown; distanceFunction?: unknown };
  if (typeof path !== 'string' || typeof distanceFunction !== 'string') return [];
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => (/^".*"$/.test(step) ? step.slice(1, -1) : step));
  return [{ steps, distanceFunction }];
}

function invalid(message: string): DatabaseError {
  return new DatabaseError('invalid-definition', message);
}
