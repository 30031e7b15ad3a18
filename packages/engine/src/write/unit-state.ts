// The documents of one logical partition as the commands of a unit see them: the stored state with the unit's own mutations
// on top. It lives for one run of `decide`.
//
// A version made by this unit is never expired (a ttl is at least one second and the unit has one time), and has no etag
// yet, so that no etag a client could know matches it.

import type { ClientDocument } from './command.ts';
import type { CurrentDocument, DecideContext, DecideView, Mutation } from './decision.ts';
import { isExpired } from './ttl.ts';
import { noDigests, uniqueDigestAt } from './unique.ts';

/** The latest version of a document: from before the unit, or its mutation number `mutation`. */
export type Version =
  | { readonly kind: 'stored'; readonly document: CurrentDocument; readonly standing: Standing }
  | { readonly kind: 'unit'; readonly mutation: number; readonly made: Mutation };

/** An expired or purged document is absent for everybody, though its delete is still to be written. */
type Standing = 'live' | 'expired' | 'purged';

export class UnitState {
  mutations: readonly Mutation[] = none;
  /** The same, once there are any. */
  #made: Mutation[] | undefined;
  readonly #view: DecideView;
  readonly #context: DecideContext;
  /** Id → number of its last mutation. Only batches are worth it; a lone command makes a handful of mutations at most. */
  readonly #lastMutation: Map<string, number> | undefined;
  /** Unique key and digest → the id that claimed it last. It may have let go since: its latest version tells. */
  readonly #claims: Map<string, string> | undefined;

  constructor(view: DecideView, context: DecideContext, isBatch: boolean) {
    this.#view = view;
    this.#context = context;
    this.#lastMutation = isBatch ? new Map() : undefined;
    this.#claims = isBatch && context.uniqueKeys.length > 0 ? new Map() : undefined;
  }

  /** Undefined when there is no such document; one that is over is still found, because its delete has to be written. */
  latest(id: string): Version | undefined {
    const mutation = this.#lastMutationOf(id);
    if (mutation >= 0) {
      const made = this.mutations[mutation]!;
      return made.operation === 'delete' ? undefined : { kind: 'unit', mutation, made };
    }
    const document = this.#view.current(id);
    if (document === undefined) return undefined;
    return { kind: 'stored', document, standing: this.#standingOf(document) };
  }

  /** Takes the unique key values for `id`, writing the deletes of holders that are over. False when a live document has one. */
  claim(id: string, digests: Buffer): boolean {
    for (let key = 0; key < this.#context.uniqueKeys.length; key += 1) {
      const digest = uniqueDigestAt(digests, key);
      const name = this.#claims === undefined ? '' : `${key}:${digest.toString('latin1')}`;
      const claimant = this.#claims?.get(name);
      if (claimant !== undefined && claimant !== id && this.#holds(claimant, key, digest)) return false;
      const holder = this.#view.uniqueHolder(key, digest);
      if (holder !== undefined && holder !== id && this.#holds(holder, key, digest)) return false;
      this.#claims?.set(name, id);
    }
    return true;
  }

  /** Returns the number of the mutation, as `replace` does. */
  create(document: ClientDocument, uniqueDigests: Buffer): number {
    return this.#add({
      operation: 'create',
      id: document.id,
      isExpiry: false,
      openBytes: document.openBytes,
      previous: undefined,
      ridNumber: undefined,
      ttl: document.ttl,
      uniqueDigests,
    });
  }

  replace(version: Version, document: ClientDocument, uniqueDigests: Buffer): number {
    return this.#add({
      operation: 'replace',
      id: document.id,
      isExpiry: false,
      openBytes: document.openBytes,
      previous: positionOf(version),
      ridNumber: ridNumberOf(version),
      ttl: document.ttl,
      uniqueDigests,
    });
  }

  remove(id: string, version: Version): void {
    this.#add({
      operation: 'delete',
      id,
      isExpiry: version.kind === 'stored' && version.standing === 'expired',
      openBytes: undefined,
      previous: positionOf(version),
      ridNumber: ridNumberOf(version),
      ttl: undefined,
      uniqueDigests: noDigests,
    });
  }

  /** Whether the document holds this value; if it is over, it is deleted here and does not. */
  #holds(id: string, key: number, digest: Buffer): boolean {
    const version = this.latest(id);
    if (version === undefined) return false;
    if (version.kind === 'unit') return uniqueDigestAt(version.made.uniqueDigests, key).equals(digest);
    if (version.standing === 'live') return true;
    this.remove(id, version);
    return false;
  }

  #standingOf(document: CurrentDocument): Standing {
    if (document.isPurged === true) return 'purged';
    return isExpired(document, this.#context.defaultTtl, this.#context.nowMs) ? 'expired' : 'live';
  }

  #lastMutationOf(id: string): number {
    if (this.mutations.length === 0) return -1;
    if (this.#lastMutation !== undefined) return this.#lastMutation.get(id) ?? -1;
    return this.mutations.findLastIndex((mutation) => mutation.id === id);
  }

  #add(mutation: Mutation): number {
    const number = this.mutations.length;
    // Most units make one, and an array that has been pushed to has room for seventeen.
    if (this.#made === undefined) this.mutations = this.#made = [mutation];
    else this.#made.push(mutation);
    this.#lastMutation?.set(mutation.id, number);
    return number;
  }
}

const none: readonly Mutation[] = [];

function positionOf(version: Version): Mutation['previous'] {
  if (version.kind === 'unit') return { kind: 'unit', mutation: version.mutation };
  return { kind: 'stored', lsn: version.document.lsn, ix: version.document.ix };
}

function ridNumberOf(version: Version): number | undefined {
  return version.kind === 'unit' ? version.made.ridNumber : version.document.ridNumber;
}
