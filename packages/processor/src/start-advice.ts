// What to do about a container that keeps a processor from starting: the endpoint's own words do not know what it is for.

import { isRestError, RestError } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';

export type ContainerOption = 'source' | 'leases' | 'deadLetters';

/**
 * The same error, with what to do at the end of its message. `store` is the name of the store that has it, `near` the container
 * that was probably meant.
 */
export function advised(error: unknown, option: ContainerOption, store?: string, near?: string): unknown {
  if (!isDatabaseError(error)) return error;
  // Another program's 401 says nothing of the key, and none of its answers of the container.
  const isForeign = isRestError(error) && error.isForeign;
  const advice = isForeign ? `Look at the endpoint of ${option}.` : adviceOn(error, option, store);
  if (advice === '') return error;
  const message = `${error.message} ${advice}${near === undefined ? '' : ` Did you mean ${near}?`}`;
  if (isRestError(error)) return new RestError(error.code, message, error);
  return new DatabaseError(error.code, message, { cause: error });
}

export function isMissing(error: unknown): boolean {
  return isDatabaseError(error) && missingCodes.has(error.code);
}

const missingCodes: ReadonlySet<string> = new Set(['not-found', 'container-not-found', 'database-not-found']);

function adviceOn({ code }: DatabaseError, option: ContainerOption, store = ''): string {
  if (code === 'unauthorized') return wrongKey(option);
  if (!missingCodes.has(code)) return '';
  switch (option) {
    case 'source':
      return 'That is the source of the processor.';
    case 'leases':
      return `The leases go there, ${byId(store)}`;
    case 'deadLetters':
      return `The dead letters go there, ${byId(store)}`;
  }
}

/** A store is called `database/container`. */
function byId(store: string): string {
  const id = store.slice(store.lastIndexOf('/') + 1);
  return `partitioned by /id: { id: '${id}', partitionKey: { paths: ['/id'], version: 2 } }.`;
}

function wrongKey(option: ContainerOption): string {
  return `Look at the key of ${option}: it has to be a key of that account, copied whole.`;
}
