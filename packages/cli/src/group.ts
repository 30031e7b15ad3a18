// Which group of processors a command is about: a container, where its leases are, and a name.

import { DatabaseError } from '@tidemark/model';
import type { ProcessorGroup } from '@tidemark/processor';
import { openGroup, RestFeedSource, RestStore } from '@tidemark/processor';
import type { Call } from './call.ts';
import { textOption } from './call.ts';
import { connect, containerNames } from './connect.ts';
import { UsageError } from './usage-error.ts';

interface GroupParts {
  readonly source: RestFeedSource;
  readonly leases: RestStore;
  readonly deadLetters?: RestStore;
}

export async function groupOf(
  call: Call,
  options: { readonly needsDeadLetters?: boolean } = {},
): Promise<ProcessorGroup> {
  const parts = partsOf(call, options.needsDeadLetters === true);
  return openGroup({ ...parts, name: textOption(call, 'name') ?? (await onlyName(openGroup({ ...parts, name: '' }))) });
}

/** Of all groups that keep their leases there. */
export function groupNames(call: Call): Promise<string[]> {
  return openGroup({ ...partsOf(call, false), name: '' }).groups();
}

/** Leases of a part of the keys are called by these, as in `-05C1E0`, which looks like a flag. */
export function rangeName(leaseToken: string): string {
  return leaseToken.includes('-') ? `keys ${leaseToken}` : leaseToken;
}

function partsOf(call: Call, needsDeadLetters: boolean): GroupParts {
  const { database, container } = containerNames(call.arguments[0]);
  const where = textOption(call, 'leases');
  if (where === undefined) throw new UsageError('Say where the leases are: --leases DATABASE/CONTAINER.');
  const letters = textOption(call, 'deadLetters');
  if (needsDeadLetters && letters === undefined) {
    throw new UsageError('Say where the dead letters are: --dead-letters DATABASE/CONTAINER.');
  }
  const client = connect(call);
  const variable = textOption(call, 'leasesConnectionStringEnv');
  const leaseClient =
    variable === undefined ? client : connect({ ...call, options: { connectionStringEnv: variable } });
  const storeOf = (text: string): RestStore => {
    const names = containerNames(text);
    return new RestStore(leaseClient, names.database, names.container);
  };
  return {
    source: new RestFeedSource(client, database, container),
    leases: storeOf(where),
    ...(letters === undefined ? {} : { deadLetters: storeOf(letters) }),
  };
}

/** A name need not be given where there is only one. */
async function onlyName(group: ProcessorGroup): Promise<string> {
  const [name, ...others] = await group.groups();
  if (name === undefined) {
    const message = 'There are no leases of any group for this container: see --leases and --name.';
    throw new DatabaseError('bad-request', message);
  }
  if (others.length === 0) return name;
  const names = [name, ...others].map((each) => `'${each}'`).join(', ');
  throw new DatabaseError('bad-request', `Say which group with --name: ${names}.`);
}
