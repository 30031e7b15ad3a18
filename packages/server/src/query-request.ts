// What a query says: its text and its parameters, and the part of the container that its headers name (wire 12).

import type { Container } from '@tidemark/engine';
import type { DocumentScope } from '@tidemark/engine/internal';
import { filteredKeys } from '@tidemark/engine/internal';
import { DatabaseError, intersectKeyRanges } from '@tidemark/model';
import type { PreparedQuery, Value } from '@tidemark/query';
import { keysOf, rangeIdOf } from './feed-scope.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { CosmosRequest } from './request.ts';
import { jsonOf } from './request.ts';
import type { Place } from './resources.ts';

export interface AskedQuery {
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly prepared: PreparedQuery;
}

/** Throws bad-request where the body is no query at all, and a QueryError where its text cannot be understood. */
export function readQuery(request: CosmosRequest, prepare: Container['prepareQuery']): AskedQuery {
  const { query, parameters = [], resumeFilter } = Object(jsonOf(request)) as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string' || (parameters !== null && !Array.isArray(parameters))) throw noQuery();
  if (resumeFilter !== undefined && resumeFilter !== null) {
    throw new DatabaseError(
      'not-supported',
      'A query with a resumeFilter is not supported; put the filter into its text.',
    );
  }
  const values = new Map<string, Value>();
  for (const parameter of (parameters ?? []) as unknown[]) {
    const { name, value } = Object(parameter) as { name?: unknown; value?: Value };
    if (typeof name !== 'string' || !/^@[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new DatabaseError('bad-request', 'A parameter of a query is {"name": "@x", "value": …}.');
    }
    if (values.has(name)) throw new DatabaseError('bad-request', `The parameter ${name} was given twice.`);
    values.set(name, value);
  }
  const prepared = prepare(query, [...values.keys()]);
  return { text: query, parameters: [...values.values()], prepared };
}

function noQuery(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    'A query has the form {"query": "SELECT …", "parameters": [{"name": "@x", "value": …}]}.',
  );
}

export interface QueryTarget {
  readonly scope: DocumentScope;
  /** How the headers name a part of the container. */
  readonly by: 'partition-key' | 'range' | 'nothing';
}

/** Of the whole container only the keys that the filter leaves. Throws range-gone where a named range is no more. */
export function targetOf(request: CosmosRequest, place: Place, { prepared, parameters }: AskedQuery): QueryTarget {
  const values = partitionKeyOf(request, place, { prefix: true });
  if (values !== undefined) return { scope: place.container.scopeOfKey(values), by: 'partition-key' };
  const definition = place.info.definition.partitionKey;
  const given = keysOf(request);
  const range = rangeIdOf(request, place);
  if (range === undefined) {
    const keys = filteredKeys(definition, prepared, parameters, given);
    return { scope: { keys }, by: given === undefined ? 'nothing' : 'range' };
  }
  const live = place.container.ranges.find((each) => each.id === range);
  if (live === undefined) throw new DatabaseError('range-gone', `The range ${range} has been split or merged.`);
  const within = given === undefined ? live : intersectKeyRanges(live, given);
  const keys = within === undefined ? [] : filteredKeys(definition, prepared, parameters, within);
  return { scope: { keys, range }, by: 'range' };
}
