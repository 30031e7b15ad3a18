// Under which names a server with the well-known key lets itself be called.
//
// It listens on this machine only, but the browsers of this machine fetch pages from everywhere, and a page can have the name it
// came from point at 127.0.0.1 (DNS rebinding): it is then of the server's own origin, no browser stops it, and the key is
// one that everybody knows. What a page cannot be called is an address, a name without a dot, or one below localhost.

import { DatabaseError } from '@tidemark/model';
import type { Keys } from './keys.ts';

export interface OwnNamesOptions {
  readonly keys: Keys;
  /** Its host counts as well. */
  readonly publicUrl: string | undefined;
  /** The well-known key was allowed in so many words. */
  readonly isOpen: boolean;
}

export class OwnNames {
  readonly #keys: Keys;
  readonly #publicHost: string | undefined;
  readonly #isOpen: boolean;
  /** Clients say the same again and again. */
  #last: string | undefined;

  constructor({ keys, publicUrl, isOpen }: OwnNamesOptions) {
    this.#keys = keys;
    this.#publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
    this.#isOpen = isOpen;
  }

  /** `host` is the header as it came. Throws forbidden. */
  check(host: string | undefined): void {
    if (host === undefined || host === this.#last || this.#isOpen || !this.#keys.hasWellKnown) return;
    if (!this.#isOwn(host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase())) {
      throw new DatabaseError(
        'forbidden',
        'With the well-known key the server answers only when it is called localhost, by an address or by a name without a dot: any ' +
          'other name might be that of a web page. Give it a key of its own (TIDEMARK_KEY), or say --public-url.',
      );
    }
    this.#last = host;
  }

  #isOwn(name: string): boolean {
    const isAddress = name.startsWith('[') || /^[\d.]+$/.test(name);
    return isAddress || !name.includes('.') || name.endsWith('.localhost') || name === this.#publicHost;
  }
}
