// The named resources of the catalog, found by owner, id, rid, and by what else is unique among them.

import {
  offerRid,
  permissionRid,
  storedProcedureRid,
  triggerRid,
  userDefinedFunctionRid,
  userRid,
} from '@tidemark/model';
import type { NamedKind } from '../named-resource.ts';
import { accountNumber } from '../named-resource.ts';

export interface NamedEntry {
  readonly type: 'named';
  readonly number: number;
  readonly kind: NamedKind;
  /** From the outside in; none for what is the account's. */
  readonly owners: readonly number[];
  readonly id: string;
  readonly value: unknown;
  readonly unique?: string;
  readonly timeMs: number;
  readonly version: number;
  /** About what it takes of memory and of each META frame. */
  readonly sizeBytes: number;
}

export class NamedEntries {
  readonly #byNumber = new Map<number, NamedEntry>();
  readonly #byOwner = new Map<string, Map<string, NamedEntry>>();
  readonly #byRid = new Map<string, NamedEntry>();
  readonly #byUnique = new Map<string, NamedEntry>();
  #sizeBytes = 0;

  get count(): number {
    return this.#byNumber.size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get(number: number): NamedEntry | undefined {
    return this.#byNumber.get(number);
  }

  /** In the order of creation, which numbers keep. */
  list(kind: NamedKind, owner: number | undefined): NamedEntry[] {
    const found =
      owner === undefined
        ? [...this.#byNumber.values()].filter((entry) => entry.kind === kind)
        : [...(this.#byOwner.get(ownerKey(kind, owner))?.values() ?? [])];
    return found.sort((a, b) => a.number - b.number);
  }

  find(kind: NamedKind, owner: number, id: string): NamedEntry | undefined {
    return this.#byOwner.get(ownerKey(kind, owner))?.get(id);
  }

  findByRid(kind: NamedKind, rid: string): NamedEntry | undefined {
    return this.#byRid.get(`${kind}/${rid}`);
  }

  findByUnique(kind: NamedKind, owner: number, unique: string): NamedEntry | undefined {
    return this.#byUnique.get(`${ownerKey(kind, owner)}/${unique}`);
  }

  /** Everything that goes when the database, container or user of this number goes. */
  inside(owner: number): NamedEntry[] {
    return [...this.#byNumber.values()].filter((entry) => entry.owners.includes(owner));
  }

  put(entry: NamedEntry): void {
    this.remove(entry.number);
    this.#byNumber.set(entry.number, entry);
    const key = ownerKey(entry.kind, ownerOf(entry));
    let siblings = this.#byOwner.get(key);
    if (siblings === undefined) {
      siblings = new Map();
      this.#byOwner.set(key, siblings);
    }
    siblings.set(entry.id, entry);
    this.#byRid.set(`${entry.kind}/${ridOf(entry)}`, entry);
    if (entry.unique !== undefined) this.#byUnique.set(`${key}/${entry.unique}`, entry);
    this.#sizeBytes += entry.sizeBytes;
  }

  remove(number: number): void {
    const entry = this.#byNumber.get(number);
    if (entry === undefined) return;
    this.#byNumber.delete(number);
    const key = ownerKey(entry.kind, ownerOf(entry));
    const siblings = this.#byOwner.get(key);
    siblings?.delete(entry.id);
    if (siblings?.size === 0) this.#byOwner.delete(key);
    this.#byRid.delete(`${entry.kind}/${ridOf(entry)}`);
    if (entry.unique !== undefined) this.#byUnique.delete(`${key}/${entry.unique}`);
    this.#sizeBytes -= entry.sizeBytes;
  }
}

export function ownerOf(entry: Pick<NamedEntry, 'owners'>): number {
  return entry.owners.at(-1) ?? accountNumber;
}

/** Offers have three bytes for their number, which all numbers of the catalog share. */
export function offerNumber(number: number): number {
  return number % 2 ** 24;
}

export function ridOf({ kind, owners, number }: Pick<NamedEntry, 'kind' | 'owners' | 'number'>): string {
  const [database = 0, owner = 0] = owners;
  switch (kind) {
    case 'offer':
      return offerRid(offerNumber(number));
    // Numbers are unique in the whole catalog, so a key is never taken for a user although their rids look alike.
    case 'user':
    case 'client-encryption-key':
      return userRid(database, number);
    case 'permission':
      return permissionRid(database, owner, number);
    case 'stored-procedure':
      return storedProcedureRid(database, owner, number);
    case 'trigger':
      return triggerRid(database, owner, number);
    case 'user-defined-function':
      return userDefinedFunctionRid(database, owner, number);
    // Nobody asks for it by rid.
    case 'secret':
      return String(number);
  }
}

// Kinds have no '/', ids have none either, and what is unique stands last.
function ownerKey(kind: NamedKind, owner: number): string {
  return `${kind}/${owner}`;
}
