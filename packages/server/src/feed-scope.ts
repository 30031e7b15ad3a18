// The part of a container that a request names by range or by effective partition keys (wire 11.3).

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, header, keySpaceMax } from '@tidemark/model';
import { effectiveKeyBytesMax } from './limits.ts';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import type { Place } from './resources.ts';

/**
 * The id of a range, undefined when the request names none. The .NET client puts the rid of its container before it, so that
 * the ranges of another container that was given the same name are not taken for those it knows.
 */
export function rangeIdOf(request: RequestHead, { info }: Place): string | undefined {
  const text = textOfHeader(request, header.rangeId);
  const comma = text?.indexOf(',') ?? -1;
  if (text === undefined || comma === -1) return text;
  if (text.slice(0, comma) === info.rid) return text.slice(comma + 1);
  throw new DatabaseError('range-gone', `The range ${text} is one of another container; read the ranges again.`);
}

/** Undefined when the request names none. An end that is left out is the end of the space. */
export function keysOf(request: RequestHead): KeyRange | undefined {
  const start = textOfHeader(request, header.startEpk);
  const end = textOfHeader(request, header.endEpk);
  if (start === undefined && end === undefined) return undefined;
  const type = textOfHeader(request, header.readKeyType);
  if (type !== undefined && type.toLowerCase() !== 'effectivepartitionkeyrange') {
    throw new DatabaseError('bad-request', `The header ${header.readKeyType} must be EffectivePartitionKeyRange.`);
  }
  const min = hexOf(start ?? '', header.startEpk);
  const max = hexOf(end ?? keySpaceMax, header.endEpk);
  if (min <= max) return { min, max };
  throw new DatabaseError(
    'bad-request',
    `The key in ${header.startEpk} must not be above the one in ${header.endEpk}.`,
  );
}

function hexOf(text: string, name: string): string {
  if (text.length > 2 * effectiveKeyBytesMax) {
    throw new DatabaseError('bad-request', `The header ${name} must have at most ${effectiveKeyBytesMax} bytes.`);
  }
  if (/^(?:[0-9a-f]{2})*$/i.test(text)) return text.toUpperCase();
  throw new DatabaseError('bad-request', `The header ${name} must be whole bytes in hexadecimal digits.`);
}
