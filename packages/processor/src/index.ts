export type { Connection } from './connection.ts';
export { parseConnectionString } from './connection.ts';
