// Backups and checks of a running server: begun with one request, asked for until they have ended.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RestClient } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { Progress } from './progress.ts';
import { size } from './terminal.ts';

const askMs = 100;

interface Job {
  readonly id: string;
  readonly state: string;
  readonly progress?: { readonly done: number; readonly total: number };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** The result of the job. Fails with what the server says of it. */
export async function runJob(
  client: RestClient,
  kind: 'backup' | 'check',
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const progress = new Progress(kind);
  // The admin API answers with these members (docs/reference/admin.md).
  let job = (await adminCall(client, () => client.admin('POST', [kind], body, { retryMsMax: 0 }))) as unknown as Job;
  while (job.state === 'running') {
    const { done = 0, total = 0 } = job.progress ?? {};
    progress.show(`${size(done)} of ${size(total)}`, total === 0 ? 0 : done / total);
    await sleep(askMs);
    job = (await adminCall(client, () => client.admin('GET', ['jobs', job.id]))) as unknown as Job;
  }
  progress.end();
  if (job.state === 'done') return job.result ?? {};
  throw new DatabaseError('unavailable', job.error?.message ?? `The ${kind} has failed.`);
}

/** The answer of the admin API, or an error that says when there is none. */
export async function adminCall(
  client: RestClient,
  call: () => Promise<{ json(): unknown }>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object((await call()).json());
  } catch (error) {
    const isForeign = isRestError(error) && error.isForeign;
    const isOther =
      isDatabaseError(error) && !isForeign && (error.code === 'not-supported' || error.code === 'method-not-allowed');
    if (!isOther) throw error;
    throw new DatabaseError('not-supported', `${client.endpoint} is no Tidemark server: it has no admin API.`);
  }
}
