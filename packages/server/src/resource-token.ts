// Resource tokens: what a user holds in the place of a key, good for what one permission allows, for some hours at most.
//
// TOKEN   type=resource&ver=1.0&sig=<signature>;<claims>;
//   claims     base64url of the JSON array [rid of the permission, its etag, second of expiry, number of the container or
//              null, kind and id of what in the container it is for or null]
//   signature  base64url of HMAC-SHA-256 over the claims, with a secret that only the database has
//
// What the permission says is read from the catalog with every request: one that was replaced has another etag, and one that
// is gone, or whose user is, is not found. A container that took the place of another of the same name has another number.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, NamedInfo } from '@tidemark/engine';
import { accountNumber } from '@tidemark/engine';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { unauthorized } from './authorization-header.ts';
import type { TokenGrant } from './grant.ts';
import { knownTokensMax } from './limits.ts';
import type { PermissionScope, PermissionValue } from './permission.ts';

type Claims = readonly [
  permission: string,
  etag: string,
  expirySecond: number,
  container: number | null,
  child: { readonly kind: string; readonly id: string } | null,
];

export class ResourceTokens {
  readonly #database: Database;
  readonly #nowMs: () => number;
  /** Of claims that came with the right signature before, with the secret of this etag. */
  readonly #signatures = new Map<string, Buffer>();
  #secretEtag = '';

  constructor(database: Database, nowMs: () => number) {
    this.#database = database;
    this.#nowMs = nowMs;
  }

  async issue(permission: NamedInfo, { container, child }: PermissionScope, seconds: number): Promise<string> {
    const expirySecond = Math.floor(this.#nowMs() / 1000) + seconds;
    const claims: Claims = [permission.rid, permission.etag, expirySecond, container ?? null, child ?? null];
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const secret = this.#secret() ?? (await this.#newSecret());
    return `type=resource&ver=1.0&sig=${sign(text, secret).toString('base64url')};${text};`;
  }

  /** Throws unauthorized for what was not issued here or has been revoked, forbidden for what has expired. */
  grantOf(signature: string): TokenGrant {
    const [mac = '', text = ''] = signature.split(';');
    if (!this.#isSigned(mac, text)) throw unauthorized('The resource token was not issued by this server.');
    // Only what was signed here gets this far.
    const [rid, etag, expirySecond, container, child] = JSON.parse(
      Buffer.from(text, 'base64url').toString('utf8'),
    ) as Claims;
    if (this.#nowMs() >= expirySecond * 1000) {
      const expiry = new Date(expirySecond * 1000).toUTCString();
      const message = `The authorization token is not valid at the current time: the resource token expired ${expiry}.`;
      throw new DatabaseError('forbidden', `${message} Read the permission again for a new one.`);
    }
    const permission = this.#database.resources.findByRid('permission', rid);
    if (permission === undefined || permission.etag !== etag) {
      throw unauthorized('The permission of this resource token has been changed or deleted. Read it again.');
    }
    // The handlers of permissions put nothing else there.
    const { permissionMode, resourcePartitionKey } = permission.value as PermissionValue;
    return {
      kind: 'token',
      rights: permissionMode.toLowerCase() === 'all' ? 'write' : 'read',
      container: container ?? undefined,
      child: child ?? undefined,
      partitionKey: resourcePartitionKey,
      signature,
    };
  }

  /** From now on no token that was issued before is good for anything. */
  async rotate(): Promise<void> {
    const found = this.#database.resources.find('secret', accountNumber, secretId);
    if (found === undefined) return;
    await this.#database.resources.replace(found.number, { value: newSecretText() });
  }

  #isSigned(mac: string, text: string): boolean {
    const secret = this.#secret();
    if (secret === undefined) return false;
    const known = this.#signatures.get(text);
    const expected = known ?? sign(text, secret);
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    // What was made up is not kept: it may be as long as a header.
    if (known === undefined) {
      if (this.#signatures.size >= knownTokensMax) this.#signatures.clear();
      this.#signatures.set(text, expected);
    }
    return true;
  }

  /** Undefined while there is none: then no token has ever been issued. */
  #secret(): Buffer | undefined {
    const found = this.#database.resources.find('secret', accountNumber, secretId);
    if (found === undefined) return undefined;
    if (found.etag !== this.#secretEtag) {
      this.#signatures.clear();
      this.#secretEtag = found.etag;
    }
    return Buffer.from(found.value as string, 'base64'); // Only this file writes it.
  }

  async #newSecret(): Promise<Buffer> {
    try {
      const resource = { kind: 'secret', owner: accountNumber, id: secretId, value: newSecretText() } as const;
      await this.#database.resources.create(resource);
    } catch (error) {
      // Somebody else was first.
      if (!isDatabaseError(error) || error.code !== 'conflict') throw error;
    }
    const secret = this.#secret();
    if (secret === undefined) throw new DatabaseError('internal', 'The secret of resource tokens is gone.');
    return secret;
  }
}

const secretId = 'resource-tokens';

function newSecretText(): string {
  return randomBytes(64).toString('base64');
}

function sign(text: string, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
