// The part of the key space that a request names by effective partition keys (wire 11.3).

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, header, keySpaceMax } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';

/** Undefined when the request names none. An end that is left out is the end of the space. */
export function keysOf(request: RequestHead): KeyRange | undefined {
  const start = textOfHeader(request, header.startEpk);
  const end = textOfHeader(request, header.endEpk);
  if (start === undefined && end === undefined) return undefined;
  return { min: hexOf(start ?? '', header.startEpk), max: hexOf(end ?? keySpaceMax, header.endEpk) };
}

function hexOf(text: string, name: string): string {
  if (/^[0-9a-f]*$/i.test(text)) return text.toUpperCase();
  throw new DatabaseError('bad-request', `The header ${name} must be a number in hexadecimal digits.`);
}
