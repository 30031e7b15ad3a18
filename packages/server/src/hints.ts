// Hints of clients about how a request is to be served: there is nothing here that would heed them, but one that is misspelt is told.

import { DatabaseError, header } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';

/** Throws bad-request. */
export function checkHints(request: RequestHead): void {
  const priority = textOfHeader(request, header.priority);
  if (priority !== undefined && !/^(?:low|high)$/i.test(priority)) {
    throw wrong(header.priority, 'Low or High', priority);
  }
  const bucket = textOfHeader(request, header.throughputBucket);
  if (bucket !== undefined && !/^[1-5]$/.test(bucket))
    throw wrong(header.throughputBucket, 'a number from 1 to 5', bucket);
}

function wrong(name: string, must: string, text: string): DatabaseError {
  return new DatabaseError('bad-request', `The header ${name} must be ${must}, not '${text}'.`);
}
