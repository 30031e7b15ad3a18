// Where an account is and with what to sign: the two facts of a connection string.

import { DatabaseError } from '@tidemark/model';

export interface Connection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** The master key, in base64. */
  readonly key: string;
}

/** `AccountEndpoint=https://…/;AccountKey=…;`, as the portal and the server's first lines show it. */
export function parseConnectionString(text: string): Connection {
  const fields = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0) fields.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  const endpoint = fields.get('accountendpoint');
  const key = fields.get('accountkey');
  if (endpoint === undefined || key === undefined) {
    throw new DatabaseError('bad-request', 'A connection string has the form AccountEndpoint=https://…/;AccountKey=…;');
  }
  return { endpoint: endpoint.replace(/\/+$/, ''), key };
}
