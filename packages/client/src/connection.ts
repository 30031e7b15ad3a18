// Where an account is and with what to sign: the two facts of a connection string.

import { DatabaseError } from '@tidemark/model';
import { readMasterKey } from './signature.ts';

export interface Connection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** The master key, in base64. */
  readonly key: string;
}

/**
 * `AccountEndpoint=https://…/;AccountKey=…;`, as the portal and the server's first lines show it. `name` is where it came from, for
 * people; the key is never shown.
 */
export function parseConnectionString(text: string, name: string = 'The connection string'): Connection {
  if (/^\s*(["']).*\1\s*$/s.test(text))
    refuse(`${name} has quotes around it: they are the shell's, and no part of it.`);
  const fields = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0) fields.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  const endpoint = fields.get('accountendpoint')?.replace(/\/+$/, '');
  const key = fields.get('accountkey');
  if (!endpoint && !key) refuse(`${name} is not of the form ${form}`);
  if (!endpoint) refuse(`${name} has no AccountEndpoint; its form is ${form}`);
  if (!key) refuse(`${name} has no AccountKey: a shell cuts it at the first ; without quotes. Its form is '${form}'`);
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    refuse(`The AccountEndpoint of ${inside(name)} begins with https:// or http://; '${endpoint}' does not.`);
  }
  readMasterKey(key, `The AccountKey of ${inside(name)}`);
  return { endpoint, key };
}

const form = 'AccountEndpoint=https://…/;AccountKey=…;';

function inside(name: string): string {
  return name.replace(/^The /, 'the ');
}

function refuse(message: string): never {
  throw new DatabaseError('bad-request', message);
}
