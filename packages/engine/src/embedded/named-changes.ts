// Named resources as changes of the catalog, and the facility that the seam offers for them.

import { Buffer } from 'node:buffer';
import { DatabaseError, formatEtag, validateResourceName } from '@tidemark/model';
import { namedResourceBytesMax, namedResourcesBytesMax, namedResourcesMax } from '../limits.ts';
import type { MatchOptions, NamedInfo, NamedKind, NamedResources, NewNamed, OwnerType } from '../named-resource.ts';
import { accountNumber, ownerNotFoundCodes, ownerTypesOf } from '../named-resource.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { NamedEntry } from '../state/named-entries.ts';
import { offerNumber, ownerOf, ridOf } from '../state/named-entries.ts';
import { checkMatch } from './catalog-changes.ts';

interface CatalogHost {
  readonly state: DatabaseState;
  changeCatalog<T>(decide: () => { readonly changes: readonly CatalogChange[]; result(): T }): Promise<T>;
}

/** Reads see what is published; changes are decided in their commit. */
export class CatalogResources implements NamedResources {
  readonly #host: CatalogHost;

  constructor(host: CatalogHost) {
    this.#host = host;
  }

  list(kind: NamedKind, owner?: number): NamedInfo[] {
    return this.#state.catalog.named.list(kind, owner).map((entry) => namedInfo(this.#state, entry));
  }

  find(kind: NamedKind, owner: number, id: string): NamedInfo | undefined {
    const entry = this.#state.catalog.named.find(kind, owner, id);
    return entry === undefined ? undefined : namedInfo(this.#state, entry);
  }

  findByRid(kind: NamedKind, rid: string): NamedInfo | undefined {
    const entry = this.#state.catalog.named.findByRid(kind, rid);
    return entry === undefined ? undefined : namedInfo(this.#state, entry);
  }

  create(resource: NewNamed): Promise<NamedInfo> {
    return this.#host.changeCatalog(() => this.#put(newNamed(this.#state, resource, ownersOf(this.#state, resource))));
  }

  upsert(
    resource: NewNamed & { readonly id: string },
    options: MatchOptions = {},
  ): Promise<{ readonly info: NamedInfo; readonly isCreated: boolean }> {
    return this.#host.changeCatalog(() => {
      const found = this.#state.catalog.named.find(resource.kind, resource.owner, resource.id);
      const { changes, result } = this.#put(
        found === undefined
          ? newNamed(this.#state, resource, ownersOf(this.#state, resource))
          : replacedNamed(this.#state, found, resource, options),
      );
      return { changes, result: () => ({ info: result(), isCreated: found === undefined }) };
    });
  }

  replace(
    number: number,
    change: { readonly value: unknown; readonly id?: string; readonly unique?: string },
    options: MatchOptions = {},
  ): Promise<NamedInfo> {
    return this.#host.changeCatalog(() =>
      this.#put(replacedNamed(this.#state, existing(this.#state, number), change, options)),
    );
  }

  delete(number: number, options: MatchOptions = {}): Promise<void> {
    return this.#host.changeCatalog(() => {
      checkMatch(options, namedInfo(this.#state, existing(this.#state, number)).etag);
      const inside = this.#state.catalog.named.inside(number).map((entry) => ({ remove: entry.number }));
      return { changes: [...inside, { remove: number }], result: () => undefined };
    });
  }

  #put(put: NamedEntry): { changes: CatalogChange[]; result(): NamedInfo } {
    return { changes: [{ put }], result: () => namedInfo(this.#state, put) };
  }

  get #state(): DatabaseState {
    return this.#host.state;
  }
}

/** `owners` as they will be when it is there: an offer comes in the same commit as what it is for. */
function newNamed(state: DatabaseState, resource: Omit<NewNamed, 'owner'>, owners: readonly number[]): NamedEntry {
  const { kind, unique } = resource;
  const { named } = state.catalog;
  const owner = ownerOf({ owners });
  if (named.count >= namedResourcesMax) {
    throw new DatabaseError(
      'bad-request',
      `There may be ${namedResourcesMax} users, permissions, offers and the like.`,
    );
  }
  checkUnique(state, { kind, owner, unique }, undefined);
  if (kind === 'offer' && named.list(kind, owner).length > 0) {
    throw new DatabaseError('conflict', 'There is an offer for this resource already.');
  }
  const number = takeNumber(state, kind);
  const id = idOf(resource, ridOf({ kind, owners, number }));
  if (named.find(kind, owner, id) !== undefined) throw idTaken(kind, id);
  return sized(state, undefined, {
    type: 'named',
    number,
    kind,
    owners,
    id,
    value: resource.value,
    ...(unique === undefined ? {} : { unique }),
    timeMs: state.environment.clock.nowMs(),
    version: 1,
  });
}

export function newOffer(state: DatabaseState, value: unknown, owners: readonly number[]): CatalogChange[] {
  return value === undefined ? [] : [{ put: newNamed(state, { kind: 'offer', value }, owners) }];
}

function replacedNamed(
  state: DatabaseState,
  before: NamedEntry,
  change: { readonly value: unknown; readonly id?: string; readonly unique?: string },
  options: MatchOptions,
): NamedEntry {
  const { kind } = before;
  const owner = ownerOf(before);
  checkMatch(options, namedInfo(state, before).etag);
  const id = change.id === undefined ? before.id : idOf({ kind, id: change.id }, before.id);
  if (id !== before.id && state.catalog.named.find(kind, owner, id) !== undefined) throw idTaken(kind, id);
  const unique = change.unique ?? before.unique;
  checkUnique(state, { kind, owner, unique }, before);
  return sized(state, before, {
    ...before,
    id,
    value: change.value,
    ...(unique === undefined ? {} : { unique }),
    timeMs: state.environment.clock.nowMs(),
    version: before.version + 1,
  });
}

function namedInfo(state: DatabaseState, entry: NamedEntry): NamedInfo {
  const { kind, number, owners, id, version, timeMs, value } = entry;
  const etag = formatEtag(state.epoch, version, number);
  return { kind, number, owners, id, rid: ridOf(entry), etag, version, timeMs, value };
}

function existing(state: DatabaseState, number: number): NamedEntry {
  const found = state.catalog.named.get(number);
  if (found !== undefined) return found;
  throw new DatabaseError('not-found', 'Resource Not Found: it does not exist any more.');
}

/** The owner, with everything that it is in itself. */
function ownersOf(state: DatabaseState, { kind, owner }: NewNamed): readonly number[] {
  const types = ownerTypesOf[kind];
  if (owner === accountNumber && types.includes('account')) return [];
  const entry = state.catalog.entry(owner);
  const type: OwnerType | undefined = entry?.type === 'named' ? userType(entry) : ownerType(entry?.type);
  if (entry === undefined || type === undefined || !types.includes(type)) {
    const wanted = types[0] ?? 'account';
    throw new DatabaseError(ownerNotFoundCodes[wanted], `Resource Not Found: the ${types.join(' or ')} is not there.`);
  }
  if (entry.type === 'container') return [entry.database, entry.number];
  return entry.type === 'named' ? [...entry.owners, entry.number] : [entry.number];
}

function ownerType(type: string | undefined): OwnerType | undefined {
  return type === 'database' || type === 'container' ? type : undefined;
}

function userType({ kind }: NamedEntry): OwnerType | undefined {
  return kind === 'user' ? 'user' : undefined;
}

function takeNumber(state: DatabaseState, kind: NamedKind): number {
  for (;;) {
    const number = state.catalog.takeNumber();
    // Their rids are short: numbers that come out as one that is in use, or as 0, are left out.
    if (kind !== 'offer') return number;
    const rid = ridOf({ kind, owners: [], number });
    if (offerNumber(number) !== 0 && state.catalog.named.findByRid(kind, rid) === undefined) return number;
  }
}

function idOf({ kind, id }: Pick<NewNamed, 'kind' | 'id'>, rid: string): string {
  if (kind === 'offer') return rid;
  return validateResourceName(id, `The id of a ${kind.replaceAll('-', ' ')}`);
}

function checkUnique(
  state: DatabaseState,
  wanted: { readonly kind: NamedKind; readonly owner: number; readonly unique: string | undefined },
  own: NamedEntry | undefined,
): void {
  const { kind, owner, unique } = wanted;
  const holder = unique === undefined ? undefined : state.catalog.named.findByUnique(kind, owner, unique);
  if (holder === undefined || holder.number === own?.number) return;
  throw new DatabaseError('conflict', `The ${kind.replaceAll('-', ' ')} "${holder.id}" is for "${unique}" already.`);
}

function sized(state: DatabaseState, before: NamedEntry | undefined, entry: Omit<NamedEntry, 'sizeBytes'>): NamedEntry {
  const text = JSON.stringify(entry);
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > namedResourceBytesMax) {
    const message = `A ${entry.kind.replaceAll('-', ' ')} may have at most ${namedResourceBytesMax} bytes, not ${sizeBytes}.`;
    throw new DatabaseError('document-too-large', message);
  }
  if (state.catalog.named.sizeBytes - (before?.sizeBytes ?? 0) + sizeBytes > namedResourcesBytesMax) {
    const message = `Users, permissions, offers and the like may have at most ${namedResourcesBytesMax} bytes together.`;
    throw new DatabaseError('bad-request', message);
  }
  // The same value as after a reopen, and nobody else's.
  return { ...(JSON.parse(text) as typeof entry), sizeBytes };
}

function idTaken(kind: NamedKind, id: string): DatabaseError {
  return new DatabaseError('conflict', `There is a ${kind.replaceAll('-', ' ')} "${id}" already.`);
}
