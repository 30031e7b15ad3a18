// `tidemark cert`: the certificate of the local authority, which is made if it is not there yet, and how to trust it.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CertificateStore } from '@tidemark/server';
import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import { readConfig } from '../config.ts';
import { print, say } from '../terminal.ts';
import { tlsFolderOf } from '../tls-folder.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const flags = { data: textOption(call, 'data'), port: textOption(call, 'port') };
  const config = readConfig({ flags, environment: process.env, file: undefined });
  if (config.settings.memory) throw new UsageError('A server in memory makes a new certificate each time.');
  if (config.settings.certificate !== undefined) {
    throw new UsageError(`The server uses your own certificate, ${config.settings.certificate}.`);
  }
  const data = resolve(config.settings.data);
  const isThere = existsSync(tlsFolderOf(data));
  const { pem, fingerprint, expiresMs, path = '' } = authorityIn(data);
  const expires = new Date(expiresMs).toISOString();
  if (isOn(call, 'pem')) await print(pem);
  else if (isOn(call, 'json')) await print(`${JSON.stringify({ path, fingerprint, expires, pem })}\n`);
  else await print(textOf(path, fingerprint, expires, config.settings.port));
  if (!isThere) say(`There was no certificate in ${data}: it was made just now, for a server with --data ${data}`);
  return 0;
}

function authorityIn(data: string): ReturnType<CertificateStore['authority']> {
  try {
    return new CertificateStore(tlsFolderOf(data), []).authority();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UsageError(`The certificate cannot be read or made in ${data}: ${error.message}`);
  }
}

function textOf(file: string, fingerprint: string, expires: string, port: number): string {
  // Port 0 is another one at every start.
  const at = `https://localhost:${port === 0 ? 'PORT' : port}/`;
  const path = /^[\w./:\\-]+$/.test(file) ? file : `"${file}"`;
  return `The certificate of the local authority:

  file         ${file}
  SHA-256      ${fingerprint}
  until        ${expires.slice(0, 10)}

It signs for localhost, 127.0.0.1, ::1 and the names of this machine. Trust it on your own machines only: whoever reads the data
folder could sign with it.

  Node         NODE_EXTRA_CA_CERTS=${path} node app.js
  curl         curl --cacert ${path} ${at}
  Python       SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path} python app.py
  Java         keytool -importcert -noprompt -cacerts -storepass changeit -alias tidemark -file ${path}
  .NET         takes what the system trusts:
    Linux      sudo cp ${path} /usr/local/share/ca-certificates/tidemark.crt && sudo update-ca-certificates
    macOS      sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${path}
    Windows    certutil -user -addstore Root ${path}
  browser      Chrome and Edge take what macOS and Windows trust; on Linux: Settings, Certificates, Authorities, Import.
               Firefox: Settings, Privacy & Security, View Certificates, Authorities, Import.
`;
}
