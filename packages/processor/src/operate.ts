// A group from outside: what an operator sees and does, with nothing but the lease container. It works for groups of other processors
// too, as far as they write down what is asked for.

import { systemEnvironment } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import { bounded } from './bounded.ts';
import type { SourceInput, StoreInput } from './connect.ts';
import { connectSource, connectStore } from './connect.ts';
import type { Environment } from './environment.ts';
import { BoundedSource } from './feed/bounded-source.ts';
import type { FeedMode, FeedSource, FeedStart, PhysicalRange, SourceIdentity } from './feed/feed-source.ts';
import { hostProblems, leaseProblems, letterProblems } from './group-problems.ts';
import { resolveKeys } from './host/audit.ts';
import { writeControl } from './host/control.ts';
import type { Group } from './host/group.ts';
import { readGroup } from './host/group.ts';
import { hostRules } from './host/rules.ts';
import type { Lag, LagOptions } from './lag.ts';
import { measureLag } from './lag.ts';
import type { LeaseNames } from './lease/lease-names.ts';
import { leaseNames, sidecarId } from './lease/lease-names.ts';
import { groupCallMsMax, leaseExpirationMs } from './limits.ts';
import { messageOf, ProcessorError } from './processor-error.ts';
import { readFailures } from './pump/attempt-log.ts';
import type { DeadLetterOffice } from './pump/dead-letter-office.ts';
import { openDeadLetters } from './pump/dead-letter-office.ts';
import type { LetterSummary } from './pump/letter-summary.ts';
import { summarizeLetters } from './pump/letter-summary.ts';
import { BoundedStore } from './store/bounded-store.ts';
import type { DocumentStore, StoredDocument } from './store/document-store.ts';

export interface GroupOptions {
  readonly source: SourceInput;
  readonly leases: StoreInput;
  /** As of its processors: `processorName` of .NET, the lease prefix of Azure Functions. */
  readonly name: string;
  readonly deadLetters?: StoreInput | undefined;
  readonly environment?: Environment | undefined;
}

export interface HostStatus {
  readonly instance: string;
  /** Undefined: a host of another processor, known by its leases only. */
  readonly capacity: number | undefined;
  readonly startedAt: string | undefined;
  readonly ranges: number;
  /** Since its last sign of life, by the clock of the server. */
  readonly quietSeconds: number | undefined;
  /** False when it has been quiet for longer than its leases last: they are anybody's. */
  readonly isAlive: boolean;
}

export interface RangeStatus {
  readonly leaseToken: string;
  readonly keys: KeyRange | undefined;
  readonly owner: string | undefined;
  /** Undefined: the owner is of another processor. */
  readonly epoch: number | undefined;
  readonly position: string | undefined;
  readonly writtenAt: string | undefined;
  /** Why it stands still until somebody resumes the group; undefined: it does not, as far as its owner tells. */
  readonly halted: string | undefined;
}

export interface GroupStatus {
  readonly group: string;
  readonly source: string;
  readonly leases: string;
  readonly mode: FeedMode;
  /** Undefined: not written down, as with hosts of .NET. */
  readonly start: FeedStart | undefined;
  readonly purpose: string | undefined;
  readonly isPaused: boolean;
  readonly pauseReason: string | undefined;
  readonly hosts: readonly HostStatus[];
  /** When any host was heard of last, by the clock of the server; one that stops lets go of its leases last. Undefined: nothing tells. */
  readonly lastSignAt: string | undefined;
  readonly ranges: readonly RangeStatus[];
  /** What was parked. Undefined: nobody says where dead letters are, neither these options nor a host of the group. */
  readonly deadLetters: LetterSummary | { readonly container: string; readonly error: string } | undefined;
  /** What needs a person, in sentences: leases, hosts, dead letters, what handlers have failed for. */
  readonly problems: readonly string[];
}

export function openGroup(options: GroupOptions): ProcessorGroup {
  return new ProcessorGroup(options);
}

export class ProcessorGroup {
  readonly name: string;
  readonly #source: FeedSource;
  readonly #leases: DocumentStore;
  readonly #deadLetters: DocumentStore | undefined;
  readonly #environment: Environment;

  constructor({ source, leases, name, deadLetters, environment = systemEnvironment() }: GroupOptions) {
    const options = { environment };
    this.name = name;
    this.#environment = environment;
    const { clock } = environment;
    this.#source = new BoundedSource(connectSource(source, options), clock, groupCallMsMax);
    this.#leases = new BoundedStore(connectStore(leases, 'leases', options), clock, groupCallMsMax);
    this.#deadLetters = deadLetters === undefined ? undefined : connectStore(deadLetters, 'deadLetters', options);
  }

  /** Names of all groups that read this container and keep their leases there. */
  async groups(signal?: AbortSignal): Promise<string[]> {
    const identity = await this.#source.identity(signal);
    const names = (await this.#leases.list('', signal)).flatMap(({ id }) => groupOf(id, identity)?.name ?? []);
    return [...new Set(names)].sort();
  }

  async status(signal?: AbortSignal): Promise<GroupStatus> {
    const { identity, names } = await this.#find(signal);
    const physical = await this.#source.ranges(signal);
    const documents = await this.#leases.list(names.all, signal);
    const group = readGroup(documents, names, hostRules);
    const { start, control } = group;
    const leases = resolveKeys(group.leases, physical);
    const halted = haltedOf(group);
    const hosts = hostsOf(group, await this.#serverSeconds(physical, signal));
    const letters = await this.#letters(group, names, signal);
    return {
      group: this.name,
      source: identity.name,
      leases: this.#leases.name,
      mode: leases[0]?.mode ?? start?.mode ?? 'latest',
      start: start?.start,
      purpose: start?.purpose,
      isPaused: control.isPaused,
      pauseReason: control.reason,
      hosts,
      lastSignAt: lastSignOf(group),
      ranges: leases
        .map((lease) => ({
          leaseToken: lease.token,
          keys: lease.keys,
          owner: lease.owner,
          epoch: lease.mark?.instance === lease.owner ? lease.mark?.epoch : undefined,
          position: lease.position,
          writtenAt: lease.timestamp,
          halted: halted.get(lease.token),
        }))
        .sort((a, b) => a.leaseToken.localeCompare(b.leaseToken, 'en', { numeric: true })),
      deadLetters: letters,
      problems: [
        ...hostProblems(group, hosts),
        ...leaseProblems({ ...group, leases }),
        ...[...halted].map(
          ([token, reason]) => `The range ${token} stands still until the group is resumed: ${reason}`,
        ),
        ...failuresOf(leases, documents, names),
        ...letterProblems(letters),
      ],
    };
  }

  async lag(options: LagOptions = {}): Promise<Lag> {
    const { identity, names } = await this.#find(options.signal);
    const { clock } = this.#environment;
    return measureLag({ source: this.#source, leases: this.#leases, name: this.name, identity, names, clock }, options);
  }

  /** Every host finishes what is in flight, stores its positions and stands still, until `resume`. */
  async pause(reason: string, signal?: AbortSignal): Promise<void> {
    await this.#control({ reason }, signal);
  }

  /** Also lets ranges try again that the failure policy has halted. */
  async resume(signal?: AbortSignal): Promise<void> {
    await this.#control(undefined, signal);
  }

  async deadLetters(signal?: AbortSignal): Promise<DeadLetterOffice> {
    if (this.#deadLetters === undefined) {
      throw new ProcessorError('invalid-option', 'Name the container of the dead letters: deadLetters.');
    }
    return openDeadLetters(this.#deadLetters, (await this.#find(signal)).names.prefix);
  }

  /** Where nobody named their container, a host that parks does, if it is beside the leases. */
  async #letters(
    group: Group,
    names: LeaseNames,
    signal: AbortSignal | undefined,
  ): Promise<GroupStatus['deadLetters']> {
    const told = group.beats.find(({ deadLetters }) => deadLetters !== undefined)?.deadLetters;
    const store = this.#deadLetters ?? (told === undefined ? undefined : this.#leases.beside?.(told));
    if (store === undefined) return undefined;
    const { clock } = this.#environment;
    try {
      const summary = (inner: AbortSignal): Promise<LetterSummary> => summarizeLetters(store, names.prefix, inner);
      return await bounded(clock, groupCallMsMax, signal, summary, store.name);
    } catch (error) {
      signal?.throwIfAborted();
      return { container: store.name, error: messageOf(error) };
    }
  }

  async #control(pause: { readonly reason: string } | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { names } = await this.#find(signal);
    const { clock, random } = this.#environment;
    await writeControl({ store: this.#leases, names, clock, random }, pause, signal);
  }

  /** Documents carry the server's time, so ages are told by its clock. */
  async #serverSeconds(physical: readonly PhysicalRange[], signal: AbortSignal | undefined): Promise<number> {
    const range = physical[0]?.id;
    const page = await this.#source.read({ range, mode: 'latest', from: 'now', itemsMax: 1, signal });
    return Math.floor((page.serverTimeMs ?? this.#environment.clock.nowMs()) / 1000);
  }

  /**
   * Ids begin with the host of the endpoint as the processors spell it; this program may reach the same account as 127.0.0.1 instead of
   * localhost. The rids tell that it is the same container.
   */
  async #find(
    signal: AbortSignal | undefined,
  ): Promise<{ readonly identity: SourceIdentity; readonly names: LeaseNames }> {
    const identity = await this.#source.identity(signal);
    const own = leaseNames(this.name, identity);
    const documents = await this.#leases.list(this.name, signal);
    const accounts = new Set(
      documents.flatMap(({ id }) => {
        const found = groupOf(id, identity);
        return found?.name === this.name ? [found.account] : [];
      }),
    );
    const [account, other] = accounts;
    if (account === undefined) {
      throw new ProcessorError(
        'group-unknown',
        `${this.#leases.name} has no leases of a group '${this.name}' for ${identity.name}.`,
      );
    }
    if (accounts.has(identity.account)) return { identity, names: own };
    if (other === undefined) return { identity, names: leaseNames(this.name, { ...identity, account }) };
    throw new ProcessorError(
      'group-mismatch',
      `There are groups '${this.name}' of several accounts: ${[...accounts].join(', ')}. Connect to the one that is meant.`,
    );
  }
}

/** The parts of an id: `<name><account>_<database rid>_<container rid>.…`. Nothing shows where the name ends but an account that is known. */
function groupOf(
  id: string,
  { databaseRid, containerRid, account }: SourceIdentity,
): { readonly name: string; readonly account: string } | undefined {
  const at = id.indexOf(`_${databaseRid}_${containerRid}.`);
  if (at < 0) return undefined;
  const before = id.slice(0, at);
  const known = [account, ...loopbackNames].find((each) => before.endsWith(each));
  return known === undefined ? undefined : { name: before.slice(0, before.length - known.length), account: known };
}

/** A machine is called by several names when it is one's own. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

function hostsOf({ beats, leases }: Group, nowSeconds: number): HostStatus[] {
  const owners = new Map<string, number>();
  for (const { owner } of leases) if (owner !== undefined) owners.set(owner, (owners.get(owner) ?? 0) + 1);
  const known = beats.map(({ instance, capacity, expirationMs, stored }): HostStatus => {
    const { startedAt } = stored.body;
    const written = secondsOf(stored.body['_ts']);
    return {
      instance,
      capacity,
      startedAt: typeof startedAt === 'string' ? startedAt : undefined,
      ranges: owners.get(instance) ?? 0,
      ...signOf(written, nowSeconds, expirationMs),
    };
  });
  const names = new Set(known.map(({ instance }) => instance));
  const foreign = [...owners].filter(([owner]) => !names.has(owner));
  const others = foreign.map(([instance, ranges]): HostStatus => {
    const written = Math.max(
      ...leases.filter(({ owner }) => owner === instance).map(({ stored }) => secondsOf(stored.body['_ts'])),
    );
    return { instance, capacity: undefined, startedAt: undefined, ranges, ...signOf(written, nowSeconds) };
  });
  return [...known, ...others].sort((a, b) => (a.instance < b.instance ? -1 : 1));
}

/** Where the store does not stamp what is written, nobody is taken for dead. */
function signOf(
  writtenSeconds: number,
  nowSeconds: number,
  expirationMs: number = leaseExpirationMs,
): Pick<HostStatus, 'quietSeconds' | 'isAlive'> {
  if (writtenSeconds === 0) return { quietSeconds: undefined, isAlive: true };
  const quietSeconds = Math.max(0, nowSeconds - writtenSeconds);
  return { quietSeconds, isAlive: quietSeconds * 1000 <= expirationMs };
}

function lastSignOf({ beats, leases }: Group): string | undefined {
  const written = Math.max(0, ...[...beats, ...leases].map(({ stored }) => secondsOf(stored.body['_ts'])));
  return written === 0 ? undefined : new Date(written * 1000).toISOString();
}

function secondsOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** By token; only what the owner of the range says itself. */
function haltedOf({ beats, leases }: Group): ReadonlyMap<string, string> {
  const owners = new Map(leases.map(({ token, owner }) => [token, owner]));
  return new Map(
    beats.flatMap(({ instance, halted }) =>
      halted
        .filter(({ leaseToken }) => owners.get(leaseToken) === instance)
        .map(({ leaseToken, reason }) => [leaseToken, reason] as const),
    ),
  );
}

/** Owners write down what has failed and is not settled yet. */
function failuresOf(leases: Group['leases'], documents: readonly StoredDocument[], names: LeaseNames): string[] {
  return leases.flatMap(({ token }) => {
    const id = sidecarId(names, 'retry', token);
    const failures = readFailures(documents.find((each) => each.id === id)?.body ?? {});
    if (failures.changes === 0) return [];
    const attempts = failures.attempts === 1 ? '1 attempt' : `${failures.attempts} attempts`;
    const reason = failures.message === undefined ? '' : `: ${failures.message}`;
    return [`The handler fails in range ${token}, ${attempts} so far${reason}`];
  });
}
