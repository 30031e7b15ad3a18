// With what a request is authorized: the master key, a resource token, or whatever a function gives for it.

import { masterKeyAuthorization, readMasterKey } from './signature.ts';

/** What is asked of a token provider: one resource and one verb. */
export interface TokenRequest {
  readonly verb: string;
  readonly resourceType: string;
  /** The decoded path, without slash at either end; of a feed that of its parent. */
  readonly link: string;
  readonly date: string;
}

export type Credential =
  | { readonly key: string }
  /** As a permission's `_token` has it. */
  | { readonly resourceToken: string }
  /** Gives the whole authorization text, `type=…&ver=1.0&sig=…`, not percent-encoded. */
  | { readonly tokenProvider: (request: TokenRequest) => Promise<string> };

interface Authorization {
  readonly header: string;
  /** Wire: no date goes with a resource token (wire 3). */
  readonly isDated: boolean;
}

export type Authorize = (request: TokenRequest) => Promise<Authorization>;

export function authorizer(credential: Credential): Authorize {
  if ('key' in credential) {
    const key = readMasterKey(credential.key);
    return async (request) => ({ header: masterKeyAuthorization(request, key), isDated: true });
  }
  if ('resourceToken' in credential) {
    const header = encodeURIComponent(credential.resourceToken);
    return async () => ({ header, isDated: false });
  }
  return async (request) => {
    const token = await credential.tokenProvider(request);
    return { header: encodeURIComponent(token), isDated: !token.startsWith('type=resource') };
  };
}
