// The account's keys: two that may do everything and two that may only read, so that one of each kind can be exchanged while
// clients still use the other. They can be set anew while the server runs.

import { hash, timingSafeEqual } from 'node:crypto';
import { DatabaseError, wellKnownKey } from '@tidemark/model';
import type { KeyGrant, KeyRights } from './grant.ts';
import { headerBytesMax, keyBytesMin, knownTextCharsMax, knownTextsMax } from './limits.ts';

export { wellKnownKey };

/** In base64, each of at least 32 bytes. */
export interface KeySet {
  readonly primary: string;
  readonly secondary?: string;
  readonly readOnlyPrimary?: string;
  readonly readOnlySecondary?: string;
}

const rightsOf: Readonly<Record<keyof KeySet, KeyRights>> = {
  primary: 'write',
  secondary: 'write',
  readOnlyPrimary: 'read',
  readOnlySecondary: 'read',
};

export class Keys {
  #signers: readonly Signer[] = [];

  constructor(keys: KeySet) {
    this.set(keys);
  }

  /** From the next request on these count and no others. Throws bad-request, and then the old ones stay. */
  set(keys: KeySet): void {
    // A key that stays keeps its grant.
    this.#signers = checkedKeys(keys).map(
      ({ bytes, rights, isWellKnown }) =>
        this.#signers.find((signer) => signer.isOf(bytes, rights)) ?? new Signer(bytes, rights, isWellKnown),
    );
  }

  /** Whether everybody knows one of them. */
  get hasWellKnown(): boolean {
    return this.#signers.some(({ isWellKnown }) => isWellKnown);
  }

  /** What the signer of one of these texts may do; undefined when the signature is of none of them. */
  grantOf(signature: string, texts: readonly string[]): KeyGrant | undefined {
    for (const signer of this.#signers) {
      for (const text of texts) if (isSame(signature, signer.sign(text))) return signer.grant;
    }
    return undefined;
  }

  /** For a signature of none of them: what people most often did. Everybody can try the well-known key, so nothing is given away. */
  mistakeOf(signature: string, texts: readonly string[]): string {
    if (this.hasWellKnown)
      return ' This server has the well-known key of the emulator: it was started without another.';
    const wellKnown = new Signer(Buffer.from(wellKnownKey, 'base64'), 'read', true);
    if (!texts.some((text) => isSame(signature, wellKnown.sign(text)))) return '';
    return ' This was signed with the well-known key of the emulator, and this server has keys of its own: TIDEMARK_KEY or --key-file.';
  }

  /** Whether it is a grant of the keys that count now. */
  isCurrent(grant: KeyGrant): boolean {
    return this.#signers.some((signer) => signer.grant === grant);
  }

  /** What the holder of this key may do; undefined when it is none of them. */
  rightsOfKey(key: string): KeyRights | undefined {
    let rights: KeyRights | undefined;
    // Digests have the same length whatever was sent.
    const digest = hash('sha256', key, 'buffer');
    for (const signer of this.#signers) if (timingSafeEqual(digest, signer.keyDigest)) rights ??= signer.grant.rights;
    return rights;
  }
}

/** The JSON text of a key file: `{"primary":"…","secondary":"…","readOnlyPrimary":"…","readOnlySecondary":"…"}`. */
export function parseKeyFile(text: string): KeySet {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words quote the text, and with it a key.
    throw new DatabaseError('bad-request', 'The key file is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DatabaseError('bad-request', 'The key file must be a JSON object with "primary" and up to three others.');
  }
  // Its members are looked at one by one, those that are not known are refused.
  const keys = value as KeySet;
  checkedKeys(keys);
  return keys;
}

interface CheckedKey {
  readonly bytes: Buffer;
  readonly rights: KeyRights;
  readonly isWellKnown: boolean;
}

/** Messages name the member, never the key. */
function checkedKeys(keys: KeySet): CheckedKey[] {
  const checked: CheckedKey[] = [];
  const seen = new Map<string, string>();
  for (const [name, key] of Object.entries<unknown>({ ...keys })) {
    if (!isName(name)) {
      const names = Object.keys(rightsOf).join(', ');
      throw new DatabaseError('bad-request', `There is no key "${name.slice(0, 40)}"; the keys are ${names}.`);
    }
    if (key === undefined) continue;
    const bytes = typeof key === 'string' ? Buffer.from(key, 'base64') : undefined;
    if (bytes === undefined || bytes.length < keyBytesMin || bytes.toString('base64') !== key) {
      const advice = 'openssl rand -base64 48 makes one.';
      throw new DatabaseError(
        'bad-request',
        `The ${name} key must be at least ${keyBytesMin} bytes in base64: ${advice}`,
      );
    }
    const same = seen.get(key as string);
    if (same !== undefined && rightsOf[same as keyof KeySet] !== rightsOf[name]) {
      throw new DatabaseError('bad-request', `The keys ${same} and ${name} are the same, but one may write.`);
    }
    seen.set(key as string, name);
    checked.push({ bytes, rights: rightsOf[name], isWellKnown: key === wellKnownKey });
  }
  if (keys.primary === undefined) throw new DatabaseError('bad-request', 'There is no primary key.');
  return checked;
}

function isName(name: string): name is keyof KeySet {
  return Object.hasOwn(rightsOf, name);
}

/**
 * HMAC-SHA-256 of one key, in base64: two plain hashes over the key's pads, which are made once. Inside a server this costs
 * half of what `createHmac` does, whose every use leaves an object with native memory behind; a digest as a string costs a
 * third less than one as a buffer, for the same reason.
 */
class Signer {
  /** The same for every request: nothing is made for it. */
  readonly grant: KeyGrant;
  /** Of the key in base64. */
  readonly keyDigest: Buffer;
  readonly isWellKnown: boolean;
  /** The pad, and room for the text behind it: path and date, which come in one head. */
  readonly #inner: Buffer = Buffer.alloc(blockBytes + headerBytesMax);
  readonly #outer: Buffer = Buffer.alloc(blockBytes + digestBytes);
  /** Writes to one container within one second are signed over the same text. */
  readonly #known = new Map<string, string>();

  constructor(key: Buffer, rights: KeyRights, isWellKnown: boolean) {
    this.grant = { kind: 'key', rights };
    this.keyDigest = digestOf(key);
    this.isWellKnown = isWellKnown;
    const block = Buffer.alloc(blockBytes);
    if (key.length > blockBytes) hash('sha256', key, 'buffer').copy(block);
    else key.copy(block);
    for (let at = 0; at < blockBytes; at += 1) {
      const byte = block[at] as number;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  isOf(key: Buffer, rights: KeyRights): boolean {
    return rights === this.grant.rights && timingSafeEqual(digestOf(key), this.keyDigest);
  }

  sign(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // Longer than any head may be: nobody has signed it.
    if (text.length > headerBytesMax / 3 && Buffer.byteLength(text) > headerBytesMax) return '';
    const textBytes = this.#inner.write(text, blockBytes, 'utf8');
    const digest = hash('sha256', this.#inner.subarray(0, blockBytes + textBytes), 'binary');
    this.#outer.write(digest, blockBytes, 'binary');
    const signature = hash('sha256', this.#outer, 'base64');
    if (text.length > knownTextCharsMax) return signature;
    if (this.#known.size >= knownTextsMax) this.#known.clear();
    this.#known.set(text, signature);
    return signature;
  }
}

function digestOf(key: Buffer): Buffer {
  return hash('sha256', key.toString('base64'), 'buffer');
}

const blockBytes = 64;
const digestBytes = 32;
const signatureChars = 44;

const given: Buffer = Buffer.alloc(signatureChars);
const expected: Buffer = Buffer.alloc(signatureChars);

/** Takes the same time whatever is in them. */
function isSame(signature: string, own: string): boolean {
  if (signature.length !== signatureChars) return false;
  given.write(signature, 'latin1');
  expected.write(own, 'latin1');
  return timingSafeEqual(given, expected);
}
