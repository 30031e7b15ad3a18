// What every handler of the admin API is, and what it has to work with.

import type { Database } from '@tidemark/engine';
import type { Faults } from '../faults.ts';
import type { Metrics } from '../metrics.ts';
import type { CosmosResponse } from '../response.ts';
import type { AdminRequest } from './admin-request.ts';
import type { Jobs } from './jobs.ts';

export interface AdminContext {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly metrics: Metrics;
  /** Where backups may go; undefined when none may be made. */
  readonly backupFolder: string | undefined;
  /** Undefined unless the server was started for them. */
  readonly faults: Faults | undefined;
  /** The names of everything that a request can ask for. */
  readonly operations: readonly string[];
  /** Of `performance.now`. */
  readonly startedMs: number;
}

export type AdminHandler = (request: AdminRequest, context: AdminContext) => CosmosResponse | Promise<CosmosResponse>;

/** Nothing of it is charged for, and nobody keeps it. */
export function adminResponse(status: number, value: unknown): CosmosResponse {
  return { status, charge: 0, headers: ['cache-control', 'no-store'], body: Buffer.from(JSON.stringify(value)) };
}
