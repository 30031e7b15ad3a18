// The catalog: databases, containers with their ranges, whatever else is named (offers, users, scripts), and the engine's own
// jobs, as JSON values in memory. It changes only by CatalogChanges, which travel through the log like documents do; every segment begins
// with a snapshot of it, so that older changes need not be kept.

import { DatabaseError } from '@tidemark/model';
import type { ContainerDefinition } from '../container-definition.ts';
import type { NamedEntry } from './named-entries.ts';
import { NamedEntries } from './named-entries.ts';

export interface DatabaseEntry {
  readonly type: 'database';
  readonly number: number;
  readonly id: string;
  readonly timeMs: number;
  readonly version: number;
}

/** A range that a container has now, as the catalog keeps it; what moves with each commit is in range.ts. */
export interface RangeEntry {
  /** Unique in the database; never used again. */
  readonly number: number;
  /** Unique in the container: the partition key range id of the wire. */
  readonly id: string;
  readonly min: string;
  readonly max: string;
  /** The LSN it goes on from: its parent's tail, or the greater one of two. */
  readonly baseLsn: number;
  /** History is complete above this LSN. */
  readonly floorLsn: number;
  /** All ids it descends from, oldest first. */
  readonly parents: readonly string[];
  /** The ranges whose records are its past, oldest first. */
  readonly ancestors: readonly AncestorEntry[];
}

export interface AncestorEntry {
  readonly number: number;
  readonly min: string;
  readonly max: string;
  /** Its last LSN when it was split or merged. */
  readonly endLsn: number;
  /** Its floor at that moment. */
  readonly floorLsn: number;
}

export interface ContainerEntry {
  readonly type: 'container';
  readonly number: number;
  readonly database: number;
  readonly id: string;
  readonly definition: ContainerDefinition;
  readonly timeMs: number;
  readonly version: number;
  readonly nextRangeId: number;
  /** It is being split until it has so many. */
  readonly rangesWanted?: number;
  /** In the order of the key space. */
  readonly ranges: readonly RangeEntry[];
  /** Ranges that are no more, with what took their place; the newest few. */
  readonly gone: readonly GoneRange[];
  /** How long superseded versions are kept. */
  readonly historyMs: number;
  /** What was superseded up to this second may be gone. Raised, durably, before anything goes. */
  readonly floorSecond: number;
  /** Set by restores, oldest first: versions up to `lsnMax` were written, with their etags, in the epoch before. */
  readonly epochs?: readonly { readonly epoch: number; readonly lsnMax: number }[];
}

interface GoneRange {
  readonly id: string;
  readonly min: string;
  readonly max: string;
  readonly children: readonly string[];
}

/** A job of the engine, which outlives a restart. */
export interface ResourceEntry {
  readonly type: 'resource';
  readonly number: number;
  readonly kind: string;
  readonly value: unknown;
}

export type CatalogEntry = DatabaseEntry | ContainerEntry | NamedEntry | ResourceEntry;

export type CatalogChange =
  | { readonly put: CatalogEntry; readonly remove?: undefined }
  | { readonly remove: number; readonly put?: undefined };

export interface CatalogSnapshot {
  readonly nextNumber: number;
  readonly entries: readonly CatalogEntry[];
}

export class Catalog {
  readonly #entries = new Map<number, CatalogEntry>();
  readonly #databases = new Map<string, DatabaseEntry>();
  readonly #containers = new Map<string, ContainerEntry>();
  readonly named: NamedEntries = new NamedEntries();
  #nextNumber = 1;

  static from(snapshot: CatalogSnapshot): Catalog {
    const catalog = new Catalog();
    for (const entry of snapshot.entries) catalog.apply({ put: entry });
    catalog.#nextNumber = Math.max(catalog.#nextNumber, snapshot.nextNumber);
    return catalog;
  }

  snapshot(): CatalogSnapshot {
    return { nextNumber: this.#nextNumber, entries: [...this.#entries.values()] };
  }

  /** Numbers of databases, containers, ranges and resources come from one counter. */
  takeNumber(): number {
    return this.#nextNumber++;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  apply(change: CatalogChange): void {
    if (change.put === undefined) this.#remove(change.remove);
    else this.#put(change.put);
  }

  databases(): DatabaseEntry[] {
    return [...this.#databases.values()];
  }

  containers(): ContainerEntry[] {
    return [...this.#containers.values()];
  }

  resources(kind: string): ResourceEntry[] {
    const found: ResourceEntry[] = [];
    for (const entry of this.#entries.values()) if (entry.type === 'resource' && entry.kind === kind) found.push(entry);
    return found;
  }

  entry(number: number): CatalogEntry | undefined {
    return this.#entries.get(number);
  }

  database(id: string): DatabaseEntry {
    const found = this.#databases.get(id);
    if (found === undefined) throw new DatabaseError('database-not-found', `There is no database "${id}".`);
    return found;
  }

  findDatabase(id: string): DatabaseEntry | undefined {
    return this.#databases.get(id);
  }

  container(number: number): ContainerEntry {
    const found = this.#entries.get(number);
    if (found?.type === 'container') return found;
    throw new DatabaseError('container-not-found', 'The container does not exist any more.', { detail: { number } });
  }

  findContainer(number: number): ContainerEntry | undefined {
    const found = this.#entries.get(number);
    return found?.type === 'container' ? found : undefined;
  }

  findContainerByName(database: number, id: string): ContainerEntry | undefined {
    return this.#containers.get(nameOf(database, id));
  }

  #put(entry: CatalogEntry): void {
    this.#entries.set(entry.number, entry);
    this.#nextNumber = Math.max(this.#nextNumber, entry.number + 1);
    if (entry.type === 'database') this.#databases.set(entry.id, entry);
    if (entry.type === 'named') this.named.put(entry);
    if (entry.type === 'container') {
      this.#containers.set(nameOf(entry.database, entry.id), entry);
      for (const range of entry.ranges) this.#nextNumber = Math.max(this.#nextNumber, range.number + 1);
    }
  }

  #remove(number: number): void {
    const entry = this.#entries.get(number);
    this.#entries.delete(number);
    if (entry?.type === 'database') this.#databases.delete(entry.id);
    if (entry?.type === 'named') this.named.remove(number);
    if (entry?.type === 'container') this.#containers.delete(nameOf(entry.database, entry.id));
  }
}

// An id holds no '/', so the pair cannot be mistaken for another.
function nameOf(database: number, id: string): string {
  return `${database}/${id}`;
}
