// The documents of one logical partition as the commands of a unit see them: the stored state with the unit's own mutations
// on top. It lives for one run of `decide`.
//
// A version made by this unit is never expired (a ttl is at least one second and the unit has one time), and has no etag
// yet, so that no etag a client could know matches it.

import type { ClientDocument } from './command.ts';
import type { CurrentDocument, DecideContext, DecideView, Mutation, OwnVersion } from './decision.ts';
import { isExpired } from './ttl.ts';
import { noDigests, uniqueDigestAt } from './unique.ts';

/** The latest version of a document, from before the unit or made by it. */
export type Version = CurrentDocument | OwnVersion;

export class UnitState {
  mutations: readonly Mutation[] = none;
  /** The same, once there are any. */
  #made: Mutation[] | undefined;
  readonly #view: DecideView;
  readonly #context: DecideContext;
  /** Of the ids of mutations. Only batches are worth it; a lone command makes a handful of mutations at most. */
  readonly #ids: IdFilter | undefined;
  /** Unique key and digest → the id that claimed it last. It may have let go since: its latest version tells. */
  readonly #claims: Map<string, string> | undefined;

  constructor(view: DecideView, context: DecideContext, isBatch: boolean) {
    this.#view = view;
    this.#context = context;
    this.#ids = isBatch ? new IdFilter() : undefined;
    this.#claims = isBatch && context.uniqueKeys.length > 0 ? new Map() : undefined;
  }

  /** Undefined when there is no such document; one that is over is still found, because its delete has to be written. */
  latest(id: string): Version | undefined {
    const mutation = this.#lastMutationOf(id);
    if (mutation >= 0) {
      const made = this.mutations[mutation]!;
      return made.operation === 'delete' ? undefined : { kind: 'unit', mutation, made };
    }
    return this.#view.current(id);
  }

  /** An expired or purged document is absent for everybody, though its delete is still to be written. */
  isLive(version: Version | undefined): version is Version {
    if (version === undefined) return false;
    return version.kind === 'unit' || (version.isPurged !== true && !this.isOver(version));
  }

  /** Its time is. A version that this unit has made has all of it. */
  isOver(document: CurrentDocument): boolean {
    return isExpired(document, this.#context.defaultTtl, this.#context.nowMs);
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
      document,
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
      document,
      previous: version,
      ridNumber: ridNumberOf(version),
      ttl: document.ttl,
      uniqueDigests,
    });
  }

  remove(id: string, version: Version): void {
    this.#add({
      operation: 'delete',
      id,
      isExpiry: version.kind === 'stored' && version.isPurged !== true && this.isOver(version),
      document: undefined,
      previous: version,
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
    if (this.isLive(version)) return true;
    this.remove(id, version);
    return false;
  }

  #lastMutationOf(id: string): number {
    if (this.mutations.length === 0 || this.#ids?.mayHave(id) === false) return -1;
    return this.mutations.findLastIndex((mutation) => mutation.id === id);
  }

  #add(mutation: Mutation): number {
    const number = this.mutations.length;
    // Most units make one, and an array that has been pushed to has room for seventeen.
    if (this.#made === undefined) this.mutations = this.#made = [mutation];
    else this.#made.push(mutation);
    this.#ids?.add(mutation.id);
    return number;
  }
}

const none: readonly Mutation[] = [];

const filterWords = 32;
/** Of a longer id the last characters: those that come together differ there, if anywhere. */
const filterChars = 16;

/** Most ids of a batch are all different: a bit for each tells so, where a Map would look at each twice and grow with them. */
class IdFilter {
  readonly #bits: number[] = new Array<number>(filterWords).fill(0);

  mayHave(id: string): boolean {
    const hash = hashOf(id);
    return ((this.#bits[hash >>> 5] as number) & (1 << (hash & 31))) !== 0;
  }

  add(id: string): void {
    const hash = hashOf(id);
    this.#bits[hash >>> 5] = (this.#bits[hash >>> 5] as number) | (1 << (hash & 31));
  }
}

/** One of as many numbers as a filter has bits. */
function hashOf(id: string): number {
  let hash = id.length;
  for (let i = Math.max(0, id.length - filterChars); i < id.length; i += 1)
    hash = Math.imul(hash, 31) + id.charCodeAt(i);
  return Math.imul(hash, 0x9e3779b1) >>> 22;
}

function ridNumberOf(version: Version): number | undefined {
  return version.kind === 'unit' ? version.made.ridNumber : version.ridNumber;
}
