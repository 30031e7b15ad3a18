// The public API: a database on the wire.

export { wellKnownKey } from './authorize.ts';
export type { RunningServer, ServerOptions } from './server.ts';
export { startServer } from './server.ts';
