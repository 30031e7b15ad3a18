// Which container a client means when it names one: those that encrypt must not write to another one that took its place.

import type { Database } from '@tidemark/engine';
import { DatabaseError, header, kindsInContainers } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import { findContainer } from './resources.ts';

/** Throws container-mismatch (wire 14). */
export function checkIntendedContainer(request: RequestHead, database: Database): void {
  const intended = textOfHeader(request, header.intendedContainer);
  if (intended === undefined || request.path.ids.length < 2 || !kindsInContainers.has(request.path.kind)) return;
  const { info } = findContainer(database, request.path);
  if (info.rid === intended) return;
  throw new DatabaseError(
    'container-mismatch',
    `The container "${info.id}" is not the one that the client means: its rid is ${info.rid}, not the one in the header ` +
      `${header.intendedContainer}. Read the container again.`,
  );
}

/**
 * Libraries of HTTP make `/colls/c/` of `/colls/c/docs/..` before they send it. Who signs is refused, because the id was signed; a
 * resource token signs nothing, and a document called `..` that was to be deleted would take its container along. Only requests
 * about documents name a partition key.
 */
export function checkNoDocumentMeant(request: RequestHead): void {
  const { kind, isFeed, operation } = request.path;
  if (kind !== 'container' || isFeed || operation !== undefined) return;
  if (textOfHeader(request, header.partitionKey) === undefined) return;
  throw new DatabaseError(
    'bad-request',
    `A request about a container has no partition key. If it is about a document called '..': no client can name that in a path.`,
  );
}
