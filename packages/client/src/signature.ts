// The signature of a request with the master key (wire 3).
//
// STRING TO SIGN, five lines, each ended by a line feed
//   verb, lower case
//   kind of resource, lower case: the last type segment of the path
//   address: the path by name, decoded, without its slash; of a feed the parent's
//   the protocol's date header, lower case
//   empty

import { createHmac } from 'node:crypto';
import { DatabaseError } from '@tidemark/model';

export interface Signed {
  readonly verb: string;
  readonly resourceType: string;
  readonly link: string;
  /** RFC 1123. */
  readonly date: string;
}

/** The authorization header, percent-encoded as all clients send it. */
export function masterKeyAuthorization({ verb, resourceType, link, date }: Signed, key: Uint8Array): string {
  const text = `${verb.toLowerCase()}\n${resourceType.toLowerCase()}\n${link}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac('sha256', key).update(text).digest('base64');
  return encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
}

/** `name` is what it is called where it came from, for people. */
export function readMasterKey(key: string, name: string = 'The account key'): Uint8Array {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length > 0 && bytes.toString('base64') === key) return bytes;
  throw new DatabaseError('bad-request', `${name} is not base64: copy it whole, with the signs at its end.`);
}
