// The public API: a database on the wire.

export type { KeySet } from './keys.ts';
export { parseKeyFile, wellKnownKey } from './keys.ts';
export type { RunningServer, ServerOptions } from './server.ts';
export { startServer } from './server.ts';
