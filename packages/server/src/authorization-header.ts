// The header that a request is authorized by: `type=master&ver=1.0&sig=…`, percent-encoded or as it is (wire 3).

import { DatabaseError } from '@tidemark/model';

export interface Authorization {
  readonly type: string;
  /** As it came. */
  readonly signature: string;
}

export function readAuthorization(text: string | undefined): Authorization {
  if (text === undefined) {
    throw unauthorized('Required header authorization is missing. Ensure that a valid authorization token is passed.');
  }
  const plain = decoded(text);
  // What nearly every request has; the rest is looked at part by part.
  if (plain.startsWith(masterStart)) return { type: 'master', signature: plain.slice(masterStart.length) };
  let type: string | undefined;
  let signature: string | undefined;
  for (const part of plain.split('&')) {
    if (part.startsWith('type=')) type = part.slice(5).toLowerCase();
    if (part.startsWith('sig=')) signature = part.slice(4);
  }
  if (type === undefined || signature === undefined) {
    throw unauthorized('The authorization header is not of the form type=…&ver=1.0&sig=….');
  }
  return { type, signature };
}

export function unauthorized(message: string): DatabaseError {
  return new DatabaseError('unauthorized', message);
}

const masterStart = 'type=master&ver=1.0&sig=';

/** Wire: clients send the header percent-encoded; it is accepted as it is, too. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
