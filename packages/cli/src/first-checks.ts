// What can refuse a start is found out before the data folder is touched: a start that is refused leaves nothing behind, and
// nothing ever has to be taken away again.

import { createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { DatabaseError, isLoopback } from '@tidemark/model';
import type { ServerOptions } from '@tidemark/server';
import { checkBackupFolder, parseKeyFile } from '@tidemark/server';

/** Throws as the server itself would. */
export async function checkFirst(options: ServerOptions, isWellKnownKey: boolean): Promise<void> {
  const { host = '127.0.0.1', port = 0, keys, certificate, certificateKey, insecureDefaultKey, backupFolder } = options;
  if (keys !== undefined) parseKeyFile(JSON.stringify(keys));
  if (isWellKnownKey && insecureDefaultKey !== true && !isLoopback(host)) {
    throw new DatabaseError(
      'forbidden',
      `With the well-known key the server listens on this machine only (127.0.0.1, ::1 or localhost), not on ${host}.`,
    );
  }
  if (certificate !== undefined && certificateKey !== undefined) checkCertificate(certificate, certificateKey);
  if (backupFolder !== undefined) await checkBackupFolder(backupFolder);
  await tryPort(host, port);
}

function checkCertificate(certificate: string, key: string): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw new DatabaseError('bad-request', `The certificate or its key cannot be used: ${(error as Error).message}`); // OpenSSL's.
  }
}

/** Listens for a moment. Somebody may still take the port afterwards; then the start is refused a little later. */
function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}
