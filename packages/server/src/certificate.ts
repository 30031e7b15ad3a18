// Certificates in the form of X.509 v3 (RFC 5280), made here: that of a small authority of one's own, and those of servers
// that it signs. Only what clients check is in them.

import type { KeyObject } from 'node:crypto';
import { createHash, createPublicKey, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  contextTag,
  der,
  derTrue,
  integer,
  objectId,
  octetString,
  sequence,
  tag,
  time,
  utf8String,
} from './der.ts';

export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** An authority: its name and its key, which signs. The key is of an elliptic curve. */
export interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

/** Its certificate, signed by itself. PEM. */
export function authorityCertificate(issuer: Issuer, validity: Validity): string {
  const key = createPublicKey(issuer.key);
  return signed(issuer, issuer.name, key, validity, [
    extension(id.basicConstraints, true, sequence(derTrue(), integer(Buffer.from([0])))),
    // keyCertSign and cRLSign.
    extension(id.keyUsage, true, bitString(Buffer.from([0b0000_0110]), 1)),
    extension(id.subjectKey, false, octetString(keyDigest(key))),
  ]);
}

/** For a server that is reached under these names and addresses. PEM. */
export function serverCertificate(
  issuer: Issuer,
  key: KeyObject,
  hosts: readonly string[],
  validity: Validity,
): string {
  // digitalSignature; and keyEncipherment, without which the oldest ways to agree on a secret with RSA are refused.
  const usage =
    key.asymmetricKeyType === 'rsa'
      ? bitString(Buffer.from([0b1010_0000]), 5)
      : bitString(Buffer.from([0b1000_0000]), 7);
  return signed(issuer, hosts[0] ?? 'localhost', createPublicKey(key), validity, [
    extension(id.basicConstraints, true, sequence()),
    extension(id.keyUsage, true, usage),
    extension(id.extendedKeyUsage, false, sequence(objectId(id.serverAuthentication))),
    extension(id.subjectAlternativeName, false, sequence(...hosts.map(alternativeName))),
    extension(id.subjectKey, false, octetString(keyDigest(createPublicKey(key)))),
    extension(
      id.authorityKey,
      false,
      sequence(der(contextTag(0, 'primitive'), keyDigest(createPublicKey(issuer.key)))),
    ),
  ]);
}

/** Whether a certificate can name it: an IP address, or a name of DNS in ASCII. */
export function isNameable(host: string): boolean {
  // The names first, addresses of IPv4 among them: to tell those of IPv6 takes long when it is first asked.
  const isName = host.length <= dnsNameMax && /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i.test(host);
  return isName || isIP(host) !== 0;
}

const id = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
  subjectAlternativeName: '2.5.29.17',
  subjectKey: '2.5.29.14',
  authorityKey: '2.5.29.35',
} as const;

const dnsNameMax = 253;
/** RFC 5280, appendix A: the upper bound of a common name. */
const commonNameMax = 64;

function signed(issuer: Issuer, subject: string, key: KeyObject, validity: Validity, extensions: Buffer[]): string {
  const algorithm = sequence(objectId(id.ecdsaWithSha256));
  const version3 = der(contextTag(0, 'constructed'), integer(Buffer.from([2])));
  const content = sequence(
    version3,
    integer(randomBytes(16)),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(validity.fromMs), time(validity.toMs)),
    distinguishedName(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(contextTag(3, 'constructed'), sequence(...extensions)),
  );
  const certificate = sequence(content, algorithm, bitString(sign('sha256', content, issuer.key)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string): Buffer {
  const part = (type: string, text: string): Buffer => der(tag.set, sequence(objectId(type), utf8String(text)));
  return sequence(part(id.organization, 'Tidemark'), part(id.commonName, commonName.slice(0, commonNameMax)));
}

function extension(type: string, isCritical: boolean, value: Buffer): Buffer {
  return isCritical
    ? sequence(objectId(type), derTrue(), octetString(value))
    : sequence(objectId(type), octetString(value));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0
    ? der(contextTag(2, 'primitive'), Buffer.from(host, 'ascii'))
    : der(contextTag(7, 'primitive'), addressBytes(host));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes an IPv6 address in its canonical form, an embedded IPv4 one as two groups.
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const before = groups(left);
  const after = groups(right);
  const all = [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** What tells one key from another in the two key extensions: any digest of it will do. */
function keyDigest(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}
