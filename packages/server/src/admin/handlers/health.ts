// Whether the server can do its work. Anybody may ask; the details are for whoever has the key.

import { statfs } from 'node:fs/promises';
import type { Database } from '@tidemark/engine';
import type { CosmosResponse } from '../../response.ts';
import { version } from '../../version.ts';
import type { AdminContext } from '../admin-handler.ts';
import { adminResponse } from '../admin-handler.ts';
import type { AdminRequest } from '../admin-request.ts';

export async function readHealth(request: AdminRequest, context: AdminContext): Promise<CosmosResponse> {
  const { database } = context;
  const { status, message, clockJumpMs } = database.health;
  const isOk = status === 'ok';
  const summary = { status: isOk ? 'ok' : 'degraded' };
  const code = isOk ? 200 : 503;
  if (!request.isAuthorized) return adminResponse(code, summary);
  const { segments, segmentBytes, sequence, indexedSequence, overlayRecords, overlayBytes, waiters } = database.figures;
  const memory = process.memoryUsage();
  return adminResponse(code, {
    ...summary,
    version,
    node: process.versions.node,
    uptimeSeconds: Math.floor((performance.now() - context.startedMs) / 1000),
    engine: { status, message, clockJumpMs },
    log: { segments, bytes: segmentBytes, sequence },
    index: { sequence: indexedSequence, behind: sequence - indexedSequence, overlayRecords, overlayBytes },
    disk: await diskOf(database),
    feed: { waiters },
    memory: { rssBytes: memory.rss, heapBytes: memory.heapUsed, externalBytes: memory.external },
  });
}

interface Disk {
  readonly folder: string;
  readonly freeBytes?: number;
  readonly totalBytes?: number;
}

/** Undefined, and so left out, when everything is in memory. */
async function diskOf({ folder }: Database): Promise<Disk | undefined> {
  if (folder === undefined) return undefined;
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    // Not every file system tells; what the engine makes of its disk stands above.
    return { folder };
  }
}
