// What a container can have and none has here. That there are none is the truth, so lists are empty and nothing is found;
// what would make one is refused by name.

import type { ResourceKind } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';
import type { Handler, HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner } from '../response.ts';

export type AbsentKind = 'conflict' | 'stored-procedure' | 'trigger' | 'user-defined-function';

const arrayNames: Readonly<Record<AbsentKind, string>> = {
  conflict: 'Conflicts',
  'stored-procedure': 'StoredProcedures',
  trigger: 'Triggers',
  'user-defined-function': 'UserDefinedFunctions',
};

/** Listed or queried. */
export function listAbsent(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(context.database, request.path);
  // The routes of this handler are those of these kinds.
  const arrayName = arrayNames[request.path.kind as AbsentKind];
  const list = { ownerRid: place.info.rid, arrayName, headers: containerOwner(place) };
  return resourcesResponse<never>(request, context, list, [], (nothing) => nothing);
}

export function findAbsent(request: CosmosRequest, { database }: HandlerContext): never {
  findContainer(database, request.path);
  const what = request.path.kind.replaceAll('-', ' ');
  throw new DatabaseError('not-found', `Resource Not Found: there is no ${what} "${request.path.ids[2]}".`);
}

export function refusing(kind: ResourceKind): Handler {
  const name = `${kind.replaceAll('-', ' ')}s`;
  return function refuse(): never {
    throw new DatabaseError('not-supported', `${name.charAt(0).toUpperCase()}${name.slice(1)} are not supported yet.`);
  };
}
