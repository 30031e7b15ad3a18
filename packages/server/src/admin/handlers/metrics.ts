// Metrics, as Prometheus scrapes them.

import { expositionType } from '../../exposition.ts';
import type { CosmosResponse } from '../../response.ts';
import type { AdminContext } from '../admin-handler.ts';
import type { AdminRequest } from '../admin-request.ts';

export async function readMetrics(_: AdminRequest, { metrics }: AdminContext): Promise<CosmosResponse> {
  const body = Buffer.from(await metrics.text());
  return { status: 200, charge: 0, headers: ['cache-control', 'no-store'], contentType: expositionType, body };
}
