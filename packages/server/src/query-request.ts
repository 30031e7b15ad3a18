// What a query says: its text and its parameters, and the part of the container that its headers name (wire 12).

import type { Container } from '@tidemark/engine';
import type { DocumentScope } from '@tidemark/engine/internal';
import { filteredKeys } from '@tidemark/engine/internal';
import { DatabaseError, header, intersectKeyRanges, parseResourceId } from '@tidemark/model';
import type { Position, PreparedQuery, Value } from '@tidemark/query';
import { checkParameter } from '@tidemark/query';
import { keysOf, rangeIdOf } from './feed-scope.ts';
import { itemsPerPageMax } from './limits.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { CosmosRequest } from './request.ts';
import { itemsMaxOf, jsonOf, textOfHeader } from './request.ts';
import type { Place } from './resources.ts';

export interface AskedQuery {
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly prepared: PreparedQuery;
  /** Where the rows begin; undefined at the first one. */
  readonly resume?: Position;
}

/** Throws bad-request where the body is no query at all, and a QueryError where its text cannot be understood. */
export function readQuery(request: CosmosRequest, prepare: Container['prepareQuery']): AskedQuery {
  const { query, parameters = [], resumeFilter } = Object(jsonOf(request)) as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string' || (parameters !== null && !Array.isArray(parameters))) throw noQuery();
  const values = new Map<string, Value>();
  for (const parameter of (parameters ?? []) as unknown[]) {
    const { name, value } = Object(parameter) as { name?: unknown; value?: Value };
    if (typeof name !== 'string' || !/^@[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new DatabaseError('bad-request', 'A parameter of a query is {"name": "@x", "value": …}.');
    }
    if (values.has(name)) throw new DatabaseError('bad-request', `The parameter ${name} was given twice.`);
    checkParameter(name, value);
    values.set(name, value);
  }
  const prepared = prepare(query, [...values.keys()]);
  const asked = { text: query, parameters: [...values.values()], prepared };
  if (resumeFilter === undefined || resumeFilter === null) return asked;
  return { ...asked, resume: readResumeFilter(resumeFilter, prepared) };
}

/**
 * Wire: .NET clients go on within an ORDER BY by the sort keys of the last row instead of a filter in the text: in the range that it came
 * from also by its rid; `exclude` leaves out what is equal (spec query 5.8).
 */
function readResumeFilter(filter: unknown, { program }: PreparedQuery): Position {
  const { value, rid, exclude } = Object(filter) as Readonly<Record<string, unknown>>;
  const { orderBy } = program.query.block;
  if (!Array.isArray(value) || value.length !== orderBy.length || orderBy.length === 0) {
    throw new DatabaseError('bad-request', 'A resumeFilter has a value for each item of ORDER BY.');
  }
  const keys = (value as Value[]).map(resumeKey);
  const row = exclude === true ? Number.MAX_SAFE_INTEGER : 0;
  if (rid === undefined || rid === null) return { after: { keys, rid: row, row } };
  const number = typeof rid === 'string' ? parseResourceId(rid)?.parts[2] : undefined;
  if (number === undefined)
    throw new DatabaseError('bad-request', 'The rid of a resumeFilter is not one of a document.');
  return { after: { keys, rid: number, row } };
}

/** Wire: undefined is an empty array there; of arrays and objects only hashes are sent, which say nothing here. */
function resumeKey(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) && value.length === 0) return undefined;
  throw new DatabaseError('not-supported', 'A resumeFilter at an array or an object is not supported.');
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

/** Wire: 0 leaves it to the server, as -1 does: Java asks for pages of 0 rows beside `TOP 0` (azure-cosmos 4.81). */
export function rowsMaxOf(request: CosmosRequest): number {
  return textOfHeader(request, header.itemsMax)?.trim() === '0' ? itemsPerPageMax : itemsMaxOf(request);
}
