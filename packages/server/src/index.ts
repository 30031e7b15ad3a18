// The public API: a database on the wire.

export type { CertificateAuthority } from './certificate-store.ts';
export { CertificateStore } from './certificate-store.ts';
export type { KeySet } from './keys.ts';
export { parseKeyFile, wellKnownKey } from './keys.ts';
export type { LogLevel, LogStream } from './log.ts';
export { logLevels } from './log.ts';
export type { ConnectionLimits, RunningServer, ServerOptions } from './server.ts';
export { checkBackupFolder, startServer } from './server.ts';
