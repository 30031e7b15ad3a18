// Queries over databases, containers, offers, users and so on: the same language over what is in memory, in the order of creation.

import type { Database } from '@tidemark/engine';
import { decodeQueryPlace, encodeQueryPlace } from '@tidemark/engine/internal';
import { header } from '@tidemark/model';
import { QueryRun } from '@tidemark/query';
import { itemsPerPageMax, pageBytesMax } from './limits.ts';
import { readQuery } from './query-request.ts';
import type { CosmosRequest } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';

export interface NumberedValue {
  /** Numbers only grow, so that what is created or deleted meanwhile moves nothing else. */
  readonly number: number;
  readonly value: object;
}

export interface RowPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  readonly continuation: string | undefined;
}

/** Without a number of items from the client, as many as there may be on any page. */
export function queryResources(request: CosmosRequest, database: Database, all: readonly NumberedValue[]): RowPage {
  const { text, parameters, prepared } = readQuery(request, (query, names) => database.queries.prepare(query, names));
  const name = `${request.path.kind} ${text} ${JSON.stringify(parameters)}`;
  const from = decodeQueryPlace(textOfHeader(request, header.continuation), name, nowhere)?.position;
  const run = new QueryRun(prepared.program, {
    parameters,
    context: database.queries.context(),
    itemsMax: textOfHeader(request, header.itemsMax) === undefined ? itemsPerPageMax : itemsMaxOf(request),
    bytesMax: pageBytesMax,
    from,
  });
  if (prepared.program.query.documentSlot === undefined) run.addNothing();
  const first = run.isBlocking ? 0 : (from?.rid ?? 0);
  let isCut = false;
  for (const { number, value } of [...all].sort((a, b) => a.number - b.number)) {
    if (number < first) continue;
    const bytes = Buffer.from(JSON.stringify(value));
    if (run.add(bytes, 0, bytes.length - 1, number)) continue;
    isCut = true;
    break;
  }
  const { rows, next } = run.page();
  const goesOn = next !== undefined && (isCut || run.isBlocking);
  return { rows, continuation: goesOn ? encodeQueryPlace({ position: next }, name) : undefined };
}

const nowhere = { min: '', max: '' };
