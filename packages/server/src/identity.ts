// With what the server speaks TLS: the certificate that somebody gave, or that of the local authority.

import { X509Certificate } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { SecureContextOptions } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { DatabaseError } from '@tidemark/model';
import { CertificateStore } from './certificate-store.ts';
import type { TlsIdentity } from './listener.ts';

export interface IdentityOptions {
  /** PEM, with those between it and its authority after it. */
  readonly certificate?: string | undefined;
  readonly certificateKey?: string | undefined;
  /** Where the local authority is kept; without it, it is made anew each time. */
  readonly tlsFolder?: string | undefined;
  /** Lets clients in that know nothing newer than TLS 1.0. */
  readonly legacyTls?: boolean | undefined;
  /** Under which the server is reached, beside this machine's own name and addresses. */
  readonly hosts: readonly string[];
}

export class Identity {
  readonly #options: IdentityOptions;
  /** Undefined with a certificate of somebody's own. */
  readonly #store: CertificateStore | undefined;

  /** Throws where the certificate given cannot be used. */
  constructor(options: IdentityOptions) {
    this.#options = options;
    const { certificate, certificateKey } = options;
    if ((certificate === undefined) !== (certificateKey === undefined)) {
      throw new DatabaseError('bad-request', 'Give the certificate and its key, or neither.');
    }
    if (certificate === undefined) this.#store = new CertificateStore(options.tlsFolder, reachedAs(options.hosts));
    else checkUsable(this.#context(), certificate);
  }

  /** The certificate that clients have to trust; undefined where it is not ours to say. */
  get authorityPem(): string | undefined {
    return this.#store?.authority().pem;
  }

  current(): TlsIdentity {
    if (this.#store === undefined) return { context: this.#context(), renewAtMs: Number.POSITIVE_INFINITY };
    const pairs = [this.#store.serverPair('ec')];
    if (this.#options.legacyTls === true) pairs.push(this.#store.serverPair('rsa'));
    const context = {
      ...this.#protocol(),
      key: pairs.map((pair) => pair.key),
      cert: pairs.map((pair) => pair.certificate),
    };
    return { context, renewAtMs: Math.min(...pairs.map((pair) => pair.renewAtMs)) };
  }

  #context(): SecureContextOptions {
    const { certificate, certificateKey } = this.#options;
    return { ...this.#protocol(), key: certificateKey, cert: certificate };
  }

  /** Wire: the oldest client insists on TLS 1.0, which OpenSSL speaks only at its lowest level of security (wire 1). */
  #protocol(): SecureContextOptions {
    return this.#options.legacyTls === true
      ? { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }
      : { minVersion: 'TLSv1.2' };
  }
}

function checkUsable(context: SecureContextOptions, certificate: string): void {
  let validTo: string;
  try {
    createSecureContext(context);
    ({ validTo } = new X509Certificate(certificate));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseError('bad-request', `The certificate or its key cannot be used: ${reason}.`, { cause: error });
  }
  if (Date.parse(validTo) < Date.now()) {
    throw new DatabaseError('bad-request', `The certificate is no longer valid: it ended on ${validTo}.`);
  }
}

/** Whoever listens on every address is reached under each of them. */
function reachedAs(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) => (host === '0.0.0.0' || host === '::' ? ownAddresses() : [host]));
}

function ownAddresses(): string[] {
  // An address that is valid on one link only carries its name, which is no part of the address.
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address.replace(/%.*/, '')),
  );
}
