// Which container a client means when it names one: those that encrypt must not write to another one that took its place.

import type { Database } from '@tidemark/engine';
import { DatabaseError, header } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import { findContainer } from './resources.ts';

/** Throws container-mismatch (wire 14). */
export function checkIntendedContainer(request: RequestHead, database: Database): void {
  const intended = textOfHeader(request, header.intendedContainer);
  if (intended === undefined || request.path.ids.length < 2 || !isInContainer(request)) return;
  const { info } = findContainer(database, request.path);
  if (info.rid === intended) return;
  throw new DatabaseError(
    'container-mismatch',
    `The container "${info.id}" is not the one that the client means: its rid is ${info.rid}, not the one in the header ` +
      `${header.intendedContainer}. Read the container again.`,
  );
}

function isInContainer({ path }: RequestHead): boolean {
  return path.kind === 'document' || path.kind === 'container' || path.kind === 'stored-procedure';
}
