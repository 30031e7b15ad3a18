// What to do about a container that keeps a processor from starting: the endpoint's own words do not know what it is for.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { isRestError, RestError } from './client/rest-error.ts';
import { letterIdBytesMax } from './limits.ts';
import type { DocumentStore } from './store/document-store.ts';

type ContainerOption = 'source' | 'leases' | 'deadLetters';

/** Throws, with advice, what will not get better by waiting. The rest is told while the processor runs. */
export async function checkStore(store: DocumentStore | undefined, option: 'leases' | 'deadLetters'): Promise<void> {
  try {
    // Ids of letters are long; those of leases are as long as the names that were chosen, and are looked at one by one.
    await store?.prepare?.(option === 'deadLetters' ? letterIdBytesMax : 0);
  } catch (error) {
    if (isDatabaseError(error) && lastingCodes.has(error.code)) throw advised(error, option);
  }
}

/** The same error, with what to do at the end of its message. */
export function advised(error: unknown, option: ContainerOption): unknown {
  if (!isDatabaseError(error)) return error;
  const advice = missingCodes.has(error.code) ? missing[option] : error.code === 'unauthorized' ? wrongKey(option) : '';
  if (advice === '') return error;
  const message = `${error.message} ${advice}`;
  if (isRestError(error)) return new RestError(error.code, message, error);
  return new DatabaseError(error.code, message, { cause: error });
}

const missingCodes: ReadonlySet<string> = new Set(['not-found', 'container-not-found', 'database-not-found']);
const lastingCodes: ReadonlySet<string> = new Set([...missingCodes, 'invalid-definition', 'unauthorized']);

const byId = "partitioned by /id: { id: '…', partitionKey: { paths: ['/id'], version: 2 } }.";
const missing: Readonly<Record<ContainerOption, string>> = {
  source: 'That is the source of the processor.',
  leases: `The leases go there, ${byId}`,
  deadLetters: `The dead letters go there, ${byId}`,
};

function wrongKey(option: ContainerOption): string {
  return `Look at the key of ${option}: it has to be a key of that account, copied whole.`;
}
