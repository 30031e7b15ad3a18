// With what a request is authorized: the master key, a resource token, or whatever a function gives for it.

import { masterKeyAuthorization, readMasterKey } from './signature.ts';

/** What is asked of a token provider: one resource and one verb. */
export interface TokenRequest {
  readonly verb: string;
  readonly resourceType: string;
  /** The decoded path, without slash at either end; of a feed that of its parent. */
  readonly link: string;
  readonly date: string;
  /** The last answer of the provider was refused (401, 403): one that it has kept is no good any more. */
  readonly isRefused: boolean;
}

/** A value, or where it is kept: asked once, and again whenever the server refuses what it gave. */
export type Renewable = string | (() => string | Promise<string>);

export type Credential =
  | { readonly key: Renewable }
  /** As a permission's `_token` has it. */
  | { readonly resourceToken: Renewable }
  /** Gives the whole authorization text, `type=…&ver=1.0&sig=…`, not percent-encoded. Asked for every request. */
  | { readonly tokenProvider: (request: TokenRequest) => Promise<string> };

interface Authorization {
  readonly header: string;
  /** Wire: no date goes with a resource token (wire 3). */
  readonly isDated: boolean;
}

export interface Authorizer {
  /** Whether asking again after a refusal can give something else. */
  readonly isRenewable: boolean;
  authorize(request: TokenRequest): Promise<Authorization>;
}

export function authorizer(credential: Credential): Authorizer {
  if ('key' in credential) {
    const keys = keeper(credential.key, readMasterKey);
    return {
      isRenewable: typeof credential.key !== 'string',
      authorize: async (request) => ({
        header: masterKeyAuthorization(request, await keys(request.isRefused)),
        isDated: true,
      }),
    };
  }
  if ('resourceToken' in credential) {
    const tokens = keeper(credential.resourceToken, encodeURIComponent);
    return {
      isRenewable: typeof credential.resourceToken !== 'string',
      authorize: async ({ isRefused }) => ({ header: await tokens(isRefused), isDated: false }),
    };
  }
  return {
    isRenewable: true,
    authorize: async (request) => {
      const token = await credential.tokenProvider(request);
      return { header: encodeURIComponent(token), isDated: !token.startsWith('type=resource') };
    },
  };
}

/** What was read last, until it is refused. A plain value is read at once, so that a malformed one is told of at once. */
function keeper<T>(source: Renewable, read: (text: string) => T): (isRefused: boolean) => T | Promise<T> {
  if (typeof source === 'string') {
    const fixed = read(source);
    return () => fixed;
  }
  let kept: Promise<T> | undefined;
  return (isRefused) => {
    if (isRefused || kept === undefined) {
      const asked = Promise.resolve(source()).then(read);
      kept = asked;
      // A source that fails is asked again by the next request.
      asked.catch(() => {
        if (kept === asked) kept = undefined;
      });
    }
    return kept;
  };
}
