// Where in a document its client wrote system members: they come back in their places, with the values of the database.
//
// Wire: a client that reads a document, adds a member and replaces it finds the new member behind the system members, and the
// official suites compare the text. Those that the client did not write stand at the end, in the order of the service.

import { Buffer } from 'node:buffer';
export interface SystemPlace {
  /** The offset in the open bytes of the document: behind its brace, or behind a member. */
  readonly at: number;
  readonly name: string;
}

/** In the order of the service. `_lsn` has no place: it is in the feed only, and always last. */
export const placedProperties: readonly string[] = ['_rid', '_self', '_etag', '_attachments', '_ts'];

/** Undefined where the members come to stand there anyhow: most documents that are written back had nothing added behind. */
export function placesThatMatter(
  places: readonly SystemPlace[],
  openLength: number,
): readonly SystemPlace[] | undefined {
  const isUsual = places.every(({ at, name }, i) => at === openLength && name === placedProperties[i]);
  return isUsual ? undefined : places;
}

/** The open bytes with a member at each place. `memberOf` gives it with the comma before it. */
export function withMembers(open: Buffer, places: readonly SystemPlace[], memberOf: (name: string) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { at, name } of places) {
    const member = memberOf(name);
    pieces.push(open.subarray(from, at));
    // Nothing stands before it, and the id always behind.
    if (at === 1) pieces.push(member.subarray(1), comma);
    else pieces.push(member);
    from = at;
  }
  pieces.push(open.subarray(from));
  return Buffer.concat(pieces);
}

const comma: Buffer = Buffer.from(',');

export const lsnName = ',"_lsn":';

/** The length of `,"_lsn":N}`, which ends every stored body. */
export function lsnTailBytes(lsn: number): number {
  return lsnName.length + digitsOf(lsn) + 1;
}

/** Of a whole number from 0 on. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
