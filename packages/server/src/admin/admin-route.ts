// The endpoints of the admin API. They are no part of the protocol: no client of Cosmos DB sends anything here.

import { DatabaseError } from '@tidemark/model';
import type { AdminHandler } from './admin-handler.ts';
import type { AdminHead } from './admin-request.ts';
import { addFault, clearFaults, deleteFault, listFaults, readFault } from './handlers/faults.ts';
import { readHealth } from './handlers/health.ts';
import { listJobs, readJob, startBackup, startCheck } from './handlers/jobs.ts';
import { readMetrics } from './handlers/metrics.ts';
import { listRanges, mergeRanges, splitRange } from './handlers/ranges.ts';

export interface AdminRoute {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for one segment. */
  readonly path: string;
  /** For the reference. */
  readonly what: string;
  /** Whether anybody gets an answer; with the key it may say more. */
  readonly isOpen?: boolean;
  readonly handle: AdminHandler;
}

export const adminRoutes: readonly AdminRoute[] = [
  { verb: 'GET', path: '/_tidemark/health', what: 'whether it can do its work', isOpen: true, handle: readHealth },
  {
    verb: 'GET',
    path: '/_tidemark/metrics',
    what: '[metrics](metrics.md), as Prometheus scrapes them',
    handle: readMetrics,
  },
  {
    verb: 'GET',
    path: '/_tidemark/dbs/{db}/colls/{container}/ranges',
    what: 'the ranges of a container, with tails and sizes',
    handle: listRanges,
  },
  {
    verb: 'POST',
    path: '/_tidemark/dbs/{db}/colls/{container}/split',
    what: 'splits a range in two',
    handle: splitRange,
  },
  {
    verb: 'POST',
    path: '/_tidemark/dbs/{db}/colls/{container}/merge',
    what: 'merges two neighbouring ranges',
    handle: mergeRanges,
  },
  { verb: 'POST', path: '/_tidemark/backup', what: 'begins a backup', handle: startBackup },
  { verb: 'POST', path: '/_tidemark/check', what: 'begins a check of log and index', handle: startCheck },
  { verb: 'GET', path: '/_tidemark/jobs', what: 'backups and checks, running and ended', handle: listJobs },
  { verb: 'GET', path: '/_tidemark/jobs/{job}', what: 'one of them', handle: readJob },
  { verb: 'POST', path: '/_tidemark/faults', what: 'makes requests fail, with `--chaos`', handle: addFault },
  { verb: 'GET', path: '/_tidemark/faults', what: 'the faults, with what they have hit', handle: listFaults },
  { verb: 'DELETE', path: '/_tidemark/faults', what: 'ends all faults', handle: clearFaults },
  { verb: 'GET', path: '/_tidemark/faults/{fault}', what: 'one of them', handle: readFault },
  { verb: 'DELETE', path: '/_tidemark/faults/{fault}', what: 'ends it', handle: deleteFault },
];

export interface AdminMatch {
  readonly route: AdminRoute;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Undefined when there is no such path; throws method-not-allowed for one that has other verbs. */
export function matchAdmin({ verb, segments }: AdminHead): AdminMatch | undefined {
  const verbs: string[] = [];
  for (const { route, pattern } of patterns) {
    const parameters = parametersOf(pattern, segments);
    if (parameters === undefined) continue;
    if (route.verb === verb) return { route, parameters };
    verbs.push(route.verb);
  }
  if (verbs.length === 0) return undefined;
  throw new DatabaseError('method-not-allowed', `${verb} is no verb of this path; there are ${verbs.join(', ')}.`);
}

const patterns = adminRoutes.map((route) => ({ route, pattern: route.path.split('/').slice(1) }));

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string; // As many as there are parts.
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parameters;
}
