// Named resources: what has an id and a JSON value below the account, a database, a container or a user, and is neither a
// database nor a container. The engine keeps them in its catalog; the layers above decide what is in the value.

import type { ErrorCode } from '@tidemark/model';

export type NamedKind =
  | 'offer'
  | 'user'
  | 'permission'
  | 'client-encryption-key'
  | 'stored-procedure'
  | 'trigger'
  | 'user-defined-function'
  /** Of the server itself: has no rid and is never shown. */
  | 'secret';

export type OwnerType = 'account' | 'database' | 'container' | 'user';

/** Whose resources of a kind may be. The account has the number 0. */
export const ownerTypesOf: Readonly<Record<NamedKind, readonly OwnerType[]>> = {
  offer: ['database', 'container'],
  user: ['database'],
  permission: ['user'],
  'client-encryption-key': ['database'],
  'stored-procedure': ['container'],
  trigger: ['container'],
  'user-defined-function': ['container'],
  secret: ['account'],
};

export const accountNumber = 0;

export interface NamedInfo {
  readonly kind: NamedKind;
  readonly number: number;
  /** The numbers of everything it is in, from the outside in: [database, user] of a permission. */
  readonly owners: readonly number[];
  readonly id: string;
  readonly rid: string;
  /** Without quotes. */
  readonly etag: string;
  /** 1 at first, and one more with each replace. */
  readonly version: number;
  readonly timeMs: number;
  readonly value: unknown;
}

export interface NewNamed {
  readonly kind: NamedKind;
  /** The number of the database, container or user it is for. */
  readonly owner: number;
  /** Unique among those of its kind and owner. Left out of an offer, whose id is its rid. */
  readonly id?: string;
  /** JSON. */
  readonly value: unknown;
  /** Something else that no two of one kind and owner may have in common. */
  readonly unique?: string;
}

/** The same as `If-Match`: the etag, with or without quotes, or `*`. Looked at in the commit itself. */
export interface MatchOptions {
  readonly ifMatch?: string;
}

/**
 * Throws conflict for an id or `unique` that is taken, not-found (of a database or container: its own code) for what is not
 * there, precondition-failed, invalid-id, document-too-large, and bad-request when there are too many.
 */
export interface NamedResources {
  /** In the order of their creation; of all owners when none is given. */
  list(kind: NamedKind, owner?: number): NamedInfo[];
  find(kind: NamedKind, owner: number, id: string): NamedInfo | undefined;
  findByRid(kind: NamedKind, rid: string): NamedInfo | undefined;
  create(resource: NewNamed): Promise<NamedInfo>;
  upsert(
    resource: NewNamed & { readonly id: string },
    options?: MatchOptions,
  ): Promise<{ readonly info: NamedInfo; readonly isCreated: boolean }>;
  /** `id` renames it. Without `unique` it keeps the one it has. */
  replace(
    number: number,
    change: { readonly value: unknown; readonly id?: string; readonly unique?: string },
    options?: MatchOptions,
  ): Promise<NamedInfo>;
  /** What is in it goes with it. */
  delete(number: number, options?: MatchOptions): Promise<void>;
}

/** How an owner that is not there is answered. */
export const ownerNotFoundCodes: Readonly<Record<OwnerType, ErrorCode>> = {
  account: 'internal',
  database: 'database-not-found',
  container: 'container-not-found',
  user: 'not-found',
};
