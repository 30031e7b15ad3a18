// One member of a group: it shows itself by a heartbeat, looks at all leases every now and then or when they change, takes what is its
// share, and lets go what is another's. Everything it decides is in `plan.ts`; everything about one lease in `tenure.ts`.

import { setMaxListeners } from 'node:events';
import { isDatabaseError } from '@tidemark/model';
import { eachBounded, retryPauseMs, settledWithin } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import type { EventSink, HealthProblem } from '../events.ts';
import type { FeedSource, PhysicalRange } from '../feed/feed-source.ts';
import { acquireLease } from '../lease/acquire.ts';
import type { Holder } from '../lease/holder.ts';
import { makeHolder } from '../lease/holder.ts';
import { Sightings } from '../lease/sightings.ts';
import { StoreLoad } from '../lease/store-load.ts';
import { drainMsDefault, leasesAtOnceMax, stopSilentMsMax, storeCallMsMax } from '../limits.ts';
import { messageOf, ProcessorError } from '../processor-error.ts';
import type { MakePump } from '../pump/pump.ts';
import type { ProcessorSettings } from '../settings.ts';
import { BoundedStore } from '../store/bounded-store.ts';
import type { DocumentStore } from '../store/document-store.ts';
import { resolveKeys } from './audit.ts';
import type { BalanceStrategy } from './balance.ts';
import type { BootstrapParts, Bootstrapped } from './bootstrap.ts';
import { acquireParts, bootstrap, feedCall } from './bootstrap.ts';
import { writeControl } from './control.ts';
import { DrainOrders } from './drain-orders.ts';
import type { Control, Group } from './group.ts';
import { readGroup } from './group.ts';
import { Health } from './health.ts';
import { Heartbeat } from './heartbeat.ts';
import { Housekeeping } from './housekeeping.ts';
import { Lookout, wakeableSleep } from './lookout.ts';
import type { Plan, Taking } from './plan.ts';
import { makePlan } from './plan.ts';
import type { RedirectParts } from './redirect.ts';
import { firstStart, redirect, supersede } from './redirect.ts';
import type { HostRules } from './rules.ts';
import { isLeftover } from './rules.ts';
import { ServerClock } from './server-clock.ts';
import type { HostStatus } from './status.ts';
import { statusOf } from './status.ts';
import { stopWords } from './stop-words.ts';
import type { Tenure } from './tenure.ts';
import type { RangeObserver, TenureEnd } from './tenure-parts.ts';
import { Tenures } from './tenures.ts';

export interface HostParts extends Ground {
  readonly settings: ProcessorSettings;
  readonly source: FeedSource;
  readonly leases: DocumentStore;
  readonly makePump: MakePump;
  readonly observer: RangeObserver;
  readonly emit: EventSink;
  readonly rules: HostRules;
  readonly balance: BalanceStrategy;
}

export interface StopOptions {
  /** Until then everything in flight may finish, and the stop returns whatever happens. */
  readonly drainMs?: number | undefined;
  /** Aborts what is in flight at once. */
  readonly signal?: AbortSignal | undefined;
  /** The leases stay this instance's, for a process of the same name that starts in a moment. */
  readonly keepLeases?: boolean | undefined;
}

export class Host {
  readonly #parts: HostParts;
  readonly #holder: Holder;
  readonly #health: Health;
  readonly #load: StoreLoad;
  readonly #serverClock: ServerClock;
  readonly #lookout: Lookout;
  readonly #sightings = new Sightings();
  /** Ends the loops; what they are in the middle of may finish. */
  readonly #loops = new AbortController();
  /** Ends everything but the last word. */
  readonly #life = new AbortController();
  readonly #last = new AbortController();
  /** Resolves when the host stops by itself: another process took its name, or its container is gone. */
  readonly failed: Promise<ProcessorError>;
  #resolveFailed: (error: ProcessorError) => void = () => {};
  #members: Members | undefined;
  #group: Group | undefined;
  #plan: Plan | undefined;
  #control: Control | undefined;
  #ranges: readonly PhysicalRange[] = [];
  /** Since when leases are this host's share and another one keeps them; only of the last plan. */
  #wanted: ReadonlyMap<string, number> = new Map();
  /** Tokens of leases that name no keys and no range that is known, and when ranges were read for their sake. */
  #askedFor = '';
  #askedMs = 0;
  #starting: Promise<void> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();
  /** Why the lease store failed last. */
  #storeFailure: string | undefined;
  #wakeBeat: () => void = () => {};

  constructor(parts: HostParts) {
    const leases = new BoundedStore(parts.leases, parts.clock, storeCallMs(parts.settings.lease));
    this.#parts = { ...parts, leases };
    // Many calls at a time listen for the end of the host.
    setMaxListeners(0, this.#loops.signal, this.#life.signal);
    this.#holder = makeHolder(parts.settings.instance, drawNonce(parts));
    this.#health = new Health(parts.emit);
    this.#load = new StoreLoad(parts);
    this.#serverClock = new ServerClock(parts.clock);
    const { clock, random, settings } = parts;
    const { acquireMs } = settings.lease;
    this.#lookout = new Lookout({ clock, random, acquireMs, store: leases, signal: this.#loops.signal });
    this.failed = new Promise((resolve) => {
      this.#resolveFailed = resolve;
    });
  }

  /** Resolves when the leases exist, start positions are fast, and the host is seen by others. */
  start(): Promise<void> {
    this.#starting = this.#join();
    return this.#starting;
  }

  async #join(): Promise<void> {
    const parts = this.#bootstrapParts();
    const { clock, random, leases: store, settings, balance } = this.#parts;
    const stamp = (): string => this.#serverClock.stamp();
    const heartbeat = new Heartbeat({ clock, random, store, settings, stamp, holder: this.#holder });
    const boot = await bootstrap(parts, (names) => heartbeat.begin(names, this.#life.signal)).catch(async (error) => {
      await heartbeat.end(this.#last.signal);
      throw error;
    });
    const housekeeping = new Housekeeping({ ...parts, names: boot.names, start: boot.start });
    this.#ranges = boot.ranges;
    const orders = new DrainOrders({
      clock,
      settings,
      store,
      balance,
      names: boot.names,
      sightings: this.#sightings,
      signal: this.#life.signal,
    });
    this.#members = { boot, heartbeat, housekeeping, orders, tenures: this.#makeTenures(boot) };
    this.#running = Promise.all([this.#tickLoop(), this.#beatLoop(), this.#lookout.watch()]);
  }

  async stop(options: StopOptions = {}): Promise<void> {
    const { clock, rules } = this.#parts;
    const drainMs = rules.drainMs(options.drainMs ?? drainMsDefault);
    const endAtMs = clock.monotonicMs() + drainMs;
    this.#loops.abort(new ProcessorError('stopped', 'The processor stops.'));
    const members = this.#members;
    if (members === undefined) {
      this.#life.abort(new ProcessorError('stopped', 'The processor stops.'));
      await settledWithin(clock, drainMs, this.#starting);
      return this.#last.abort(new ProcessorError('stopped', 'The processor has stopped.'));
    }
    const isKept = options.keepLeases === true;
    const leaveAtMs = endAtMs - Math.min(lastWordMs, drainMs / 10);
    const order = members.orders.stop({ endAtMs: leaveAtMs, drainMs, isKept }, this.#plan, this.#group);
    const hurry = (): void => members.tenures.drainAll((tenure) => ({ ...order(tenure), abortAtMs: 0 }));
    options.signal?.addEventListener('abort', hurry, { once: true });
    members.tenures.drainAll(order);
    if (options.signal?.aborted) hurry();
    const left = new AbortController();
    void this.#sayWhatStopWaitsFor(members, endAtMs, left.signal);
    await settledWithin(clock, leaveAtMs - clock.monotonicMs(), this.#leave(members, isKept));
    left.abort();
    this.#health.clear('stop-waits');
    options.signal?.removeEventListener('abort', hurry);
    const leftMs = Math.max(lastWordMsMin, endAtMs - clock.monotonicMs());
    if (!isKept) await settledWithin(clock, Math.min(storeCallMsMax, leftMs), members.heartbeat.end(this.#last.signal));
    this.#life.abort(new ProcessorError('stopped', 'The processor has stopped.'));
    await settledWithin(clock, lastWordMsMin, members.tenures.allDone());
    this.#last.abort(new ProcessorError('stopped', 'The processor has stopped.'));
  }

  async #sayWhatStopWaitsFor({ tenures }: Members, endAtMs: number, left: AbortSignal): Promise<void> {
    const { clock, leases } = this.#parts;
    await clock.sleep(stopSilentMsMax, left);
    if (left.aborted) return;
    const isFailing = this.#health.current.some(({ problem }) => storeProblems.has(problem));
    const message = stopWords({
      leftMs: endAtMs - clock.monotonicMs(),
      tenures: tenures.all,
      storeName: leases.name,
      storeFailure: isFailing ? this.#storeFailure : undefined,
    });
    this.#health.raise('stop-waits', undefined, message);
  }

  /** A stop that is under way has less time: handlers are aborted sooner, and the rest follows from it. */
  hurry(options: StopOptions): void {
    const { clock, rules } = this.#parts;
    const drainMs = rules.drainMs(options.drainMs ?? drainMsDefault);
    const time = { endAtMs: clock.monotonicMs() + drainMs, drainMs, isKept: options.keepLeases === true };
    this.#members?.tenures.drainAll(this.#members.orders.stop(time, this.#plan, this.#group));
  }

  async pause(reason: string): Promise<void> {
    this.#apply(await writeControl(this.#controlParts(), { reason }, this.#life.signal));
  }

  async resume(): Promise<void> {
    this.#apply(await writeControl(this.#controlParts(), undefined, this.#life.signal));
    this.#lookout.wake();
  }

  get status(): HostStatus {
    return statusOf(this.#parts.settings, this.#members, this.#group, this.#plan, this.#control, this.#health);
  }

  async #tickLoop(): Promise<void> {
    const { clock, settings } = this.#parts;
    const { signal } = this.#loops;
    for (let failures = 0; !signal.aborted; ) {
      await this.#lookout.sleep(this.#load.calmAtMs - clock.monotonicMs());
      if (signal.aborted) return;
      const isFirst = this.#group === undefined;
      try {
        await this.#tick(isFirst);
        failures = 0;
        this.#health.clear('lease-store-failing');
        this.#health.clear('credentials-refused');
        const isJoining = isFirst && (this.#group?.leases.length ?? 0) > 1;
        if (isJoining) await clock.sleep(settings.lease.joinMs, signal);
        else await this.#lookout.sleep(this.#untilNextMs());
      } catch (error) {
        this.#storeFailed(error);
        await this.#lookout.sleep(retryPauseMs(this.#parts, failures, settings.lease.acquireMs / 10));
        failures += 1;
      }
    }
  }

  /** One look at the group and what follows from it. A host that joins looks first and takes later: others may join as well. */
  async #tick(isFirst: boolean): Promise<void> {
    const { clock, leases: store, settings, rules } = this.#parts;
    const members = this.#joined();
    const sentMs = clock.monotonicMs();
    const { storedBeat } = members.heartbeat;
    this.#lookout.begins();
    const documents = await store.list(members.boot.names.all, this.#life.signal);
    const gapMsMax = 2 * settings.lease.acquireMs + storeCallMs(settings.lease);
    this.#sightings.look(documents, { sentMs, doneMs: clock.monotonicMs(), gapMsMax });
    const group = await this.#withKeys(readGroup(documents, members.boot.names, rules));
    this.#group = group;
    this.#lookout.saw(group);
    members.tenures.prune([...group.leases, ...group.tombstones]);
    const mine = group.beats.find(({ instance }) => instance === this.#holder.instance);
    if (mine !== undefined && mine.nonce !== this.#holder.nonce) this.#wakeBeat();
    this.#noticeSkew();
    this.#apply(group.control);
    if (!group.control.isPaused && !(isFirst && group.leases.length > 1)) await this.#act(group);
    if (this.#loops.signal.aborted) return;
    const isFresh = mine?.nonce === this.#holder.nonce && mine.beat >= storedBeat;
    const { ranges, superseded } = await members.housekeeping.tidy(group, this.#ranges, this.#sightings, isFresh);
    this.#ranges = ranges;
    for (const { id } of superseded) members.tenures.get(id)?.drain(members.orders.supersede());
  }

  /** Hosts of .NET believe what is written in a lease; ours is put right, and somebody should set the clock. */
  #noticeSkew(): void {
    const { skewMs } = this.#serverClock;
    const message = `The clock of this machine differs from the server's by ${Math.round(skewMs / 1000)} s.`;
    const isWrong = Math.abs(skewMs) >= this.#parts.settings.lease.expirationMs / 4;
    if (isWrong) this.#health.raise('clock-skew', undefined, message);
    else this.#health.clear('clock-skew');
  }

  async #act(group: Group): Promise<void> {
    const { clock, settings, rules, balance, emit } = this.#parts;
    const { tenures, heartbeat, orders } = this.#joined();
    const nowMs = clock.monotonicMs();
    const plan = makePlan({
      group,
      rules,
      balance,
      nowMs,
      wallMs: clock.nowMs(),
      holder: this.#holder,
      settings: settings.lease,
      sightings: this.#sightings,
      running: tenures.ids,
      endingKeys: tenures.all
        .filter(({ state }) => state === 'redirecting' || state === 'aborting' || state === 'closing')
        .flatMap(({ acquired }) => acquired.lease.keys ?? []),
      avoided: tenures.avoided(),
      heldEpoch: (id) => tenures.heldEpoch(id),
      beatSentAtMs: (beat) => heartbeat.sentAtMs(beat),
      wantedSinceMs: (id) => this.#wanted.get(id),
    });
    this.#plan = plan;
    this.#wanted = new Map([...plan.wanted].map((id) => [id, this.#wanted.get(id) ?? nowMs]));
    const keptIds = new Set(group.duplicates.map(({ stored }) => `${stored.id}\n${stored.key}`));
    for (const tenure of tenures.all) {
      const { stored } = tenure.keeper.lease;
      if (keptIds.has(`${stored.id}\n${stored.key}`)) tenure.drain(orders.copy());
    }
    for (const { leaseId, to } of plan.handOver) tenures.get(leaseId)?.drain(orders.handOver(to));
    for (const adopted of plan.adopt) tenures.begin(adopted, 'handed-over', nowMs);
    await eachBounded(plan.take, leasesAtOnceMax, (taking) => this.#take(taking));
    const { length: owned } = tenures.all;
    emit({ type: 'tick', leases: group.leases.length, owned, hosts: plan.hosts.length, wanted: this.#wanted.size });
  }

  async #take(taking: Taking, isLeaving = false): Promise<void> {
    const { clock } = this.#parts;
    const { names } = this.#joined().boot;
    if (this.#loops.signal.aborted && !isLeaving) return;
    try {
      const { lease } = taking;
      const { keys, position } = lease;
      if (keys === undefined) return;
      const acquired = await acquireLease(acquireParts(this.#bootstrapParts(), names), lease, { keys, position });
      if (acquired !== undefined)
        this.#joined().tenures.begin(acquired, taking.from, clock.monotonicMs() + taking.waitMs);
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  /** Old documents name no keys; ranges are asked for only when those that are known do not tell. */
  async #withKeys(group: Group): Promise<Group> {
    const { clock, settings } = this.#parts;
    const leases = resolveKeys(group.leases, this.#ranges);
    const unknown = leases.flatMap(({ keys, token }) => (keys === undefined ? [token] : [])).join();
    // Ranges of long ago stay unknown, however often they are asked for.
    const isAsked = this.#askedFor === unknown && clock.monotonicMs() - this.#askedMs < settings.lease.expirationMs;
    if (unknown === '' || isAsked) return { ...group, leases };
    this.#askedFor = unknown;
    this.#askedMs = clock.monotonicMs();
    this.#ranges = await feedCall(this.#bootstrapParts(), (signal) => this.#parts.source.ranges(signal));
    return { ...group, leases: resolveKeys(group.leases, this.#ranges) };
  }

  async #beatLoop(): Promise<void> {
    const { clock, random, settings } = this.#parts;
    const { signal } = this.#loops;
    const { heartbeat, tenures } = this.#joined();
    let pauseMs = settings.lease.renewMs;
    for (let failures = 0; !signal.aborted; ) {
      await wakeableSleep({ clock, random, signal }, pauseMs, (wake) => {
        this.#wakeBeat = wake;
      });
      if (signal.aborted) return;
      try {
        const state = { isLeaving: false, avoided: [...tenures.avoided()], halted: tenures.halted() };
        if (!(await heartbeat.beat(state, this.#life.signal))) return this.#fail(taken(this.#holder.instance));
        failures = 0;
        pauseMs = settings.lease.renewMs;
      } catch (error) {
        this.#storeFailed(error);
        pauseMs = retryPauseMs(this.#parts, failures);
        failures += 1;
      }
    }
  }

  /** Until the next look: the interval, or earlier when something may have expired by then. */
  #untilNextMs(): number {
    const { clock, random, settings } = this.#parts;
    const { acquireMs, expirationMs } = settings.lease;
    const nowMs = clock.monotonicMs();
    // Never longer than the interval: a takeover takes at most one look, and the expiration after it (I7).
    let nextMs = acquireMs * (0.8 + 0.2 * random());
    const leases = this.#group?.leases.filter(({ owner }) => owner !== undefined && owner !== this.#holder.instance);
    const beats = this.#group?.beats.filter(({ instance }) => instance !== this.#holder.instance);
    for (const { stored } of [...(leases ?? []), ...(beats ?? [])]) {
      const leftMs = expirationMs - this.#sightings.unchangedMs(stored, nowMs);
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs + 1);
    }
    return Math.min(nextMs, this.#joined().tenures.avoidedForMs());
  }

  #apply(control: Control): void {
    const { emit } = this.#parts;
    const { tenures } = this.#joined();
    const before = this.#control;
    if (before !== undefined && control.turn < before.turn) return;
    this.#control = control;
    if (before !== undefined && before.isPaused !== control.isPaused)
      emit({ type: control.isPaused ? 'paused' : 'resumed' });
    for (const tenure of tenures.all) {
      if (control.isPaused) tenure.pause();
      else if (tenure.state === 'parked' && (tenure.halted?.atTurn ?? -1) < control.turn) tenure.resume();
    }
  }

  /** Tells the others, finishes what runs, and passes on what somebody handed over in the last moment. */
  async #leave(members: Members, isKept: boolean): Promise<void> {
    const { heartbeat, tenures } = members;
    const { signal } = this.#life;
    const isAlone = (this.#plan?.live.length ?? 0) === 0;
    const leaving =
      isKept || isAlone ? undefined : heartbeat.beat({ isLeaving: true, avoided: [], halted: [] }, signal);
    await Promise.all([this.#running, leaving?.catch(() => false)]);
    if (!isKept) await this.#sweep(members).catch((error: unknown) => this.#storeFailed(error));
    await tenures.allDone();
  }

  /** Leases that are this process's and that it is not at work on. */
  async #sweep(members: Members): Promise<void> {
    const { rules, leases: store } = this.#parts;
    const { names } = members.boot;
    const documents = await store.list(names.leases, this.#life.signal);
    const { leases } = readGroup(documents, names, rules);
    const left = leases.filter(
      (lease) => isLeftover(lease, this.#holder) && members.tenures.get(lease.id) === undefined,
    );
    await eachBounded(left, leasesAtOnceMax, (lease) => this.#take({ lease, from: 'own', waitMs: 0 }, true));
  }

  /** Stops at once and writes nothing: what this host had is not its own any more. */
  #fail(error: ProcessorError): void {
    const problem = error.code === 'instance-taken' ? 'instance-taken' : 'source-replaced';
    this.#health.raise(problem, undefined, error.message, error);
    this.#loops.abort(error);
    const members = this.#members;
    members?.tenures.drainAll(() => members.orders.lost());
    this.#resolveFailed(error);
  }

  #storeFailed(error: unknown): void {
    if (this.#life.signal.aborted) return;
    this.#load.failed(error);
    this.#storeFailure = messageOf(error);
    const code = isDatabaseError(error) ? error.code : undefined;
    const isRefused = code === 'unauthorized' || code === 'forbidden';
    const problem = isRefused ? 'credentials-refused' : 'lease-store-failing';
    const message = `The lease store ${this.#parts.leases.name} ${isRefused ? 'refuses the credentials' : 'fails'}: ${messageOf(error)}`;
    this.#health.raise(problem, undefined, message, error);
  }

  #makeTenures(boot: Bootstrapped): Tenures {
    const { clock, random, leases: store, settings, rules, emit, makePump, observer, source } = this.#parts;
    const health = this.#health;
    const seen = this.#serverClock.watching(source);
    return new Tenures({
      clock,
      random,
      store,
      emit,
      names: boot.names,
      renewMs: settings.lease.renewMs,
      signal: this.#life.signal,
      keeper: {
        clock,
        random,
        store,
        rules,
        leasesPrefix: boot.names.leases,
        settings: settings.lease,
        holder: this.#holder,
        load: this.#load,
        stamp: () => this.#serverClock.stamp(),
        onFailed: (error) => this.#storeFailed(error),
      },
      tenure: {
        clock,
        random,
        settings,
        makePump,
        observer,
        emit,
        health,
        rules,
        source: seen,
        firstStart: (acquired, signal) => firstStart(this.#redirectParts(boot, signal), acquired),
        redirect: (tenure, why, signal) => redirect(this.#redirectParts(boot, signal), tenure, why),
        supersede: (tenure) => supersede(this.#redirectParts(boot, this.#life.signal), tenure),
        onHalted: () => this.#wakeBeat(),
        onHaltAll: (token, error) => this.#haltAll(token, error),
        turn: () => this.#control?.turn ?? 0,
      },
      onEnded: (tenure, end) => this.#ended(boot, tenure, end),
    });
  }

  async #refuseReplaced(boot: Bootstrapped, signal: AbortSignal): Promise<void> {
    const identity = await feedCall({ ...this.#bootstrapParts(), signal }, (inner) =>
      this.#parts.source.identity(inner),
    );
    if (identity.containerRid === boot.identity.containerRid) return;
    const message = `The container ${identity.name} was deleted and made anew: its positions mean nothing any more.`;
    const error = new ProcessorError('source-replaced', message);
    this.#fail(error);
    throw error;
  }

  #redirectParts(boot: Bootstrapped, signal: AbortSignal): RedirectParts {
    return {
      ...this.#bootstrapParts(),
      signal,
      boot,
      reserve: (tenure, leaseIds) => this.#joined().tenures.reserve(tenure, leaseIds),
      onRanges: (ranges) => {
        this.#ranges = ranges;
      },
      refuseReplaced: () => this.#refuseReplaced(boot, signal),
    };
  }

  #haltAll(token: string, error: unknown): void {
    const reason = `Range ${token} failed and the policy stops the group: ${messageOf(error)}`;
    this.pause(reason).catch((failure: unknown) => this.#storeFailed(failure));
  }

  #ended(boot: Bootstrapped, tenure: Tenure, end: TenureEnd): void {
    const code = isDatabaseError(end.error) ? end.error.code : undefined;
    if (code === 'container-not-found' || code === 'container-mismatch' || code === 'database-not-found') {
      this.#refuseReplaced(boot, this.#life.signal).catch(() => {});
    }
    if (end.reason === 'feed-failed' || end.reason === 'handler-failed') this.#wakeBeat();
    if (tenure.state === 'ended') this.#lookout.wake();
  }

  #controlParts(): Parameters<typeof writeControl>[0] {
    const { clock, random, leases: store } = this.#parts;
    return { clock, random, store, names: this.#joined().boot.names };
  }

  #bootstrapParts(): BootstrapParts {
    const { clock, random, leases: store, settings, rules, source } = this.#parts;
    return {
      clock,
      random,
      store,
      settings,
      rules,
      source: this.#serverClock.watching(source),
      holder: this.#holder,
      health: this.#health,
      serverClock: this.#serverClock,
      signal: this.#life.signal,
    };
  }

  #joined(): Members {
    if (this.#members === undefined) throw new ProcessorError('stopped', 'The processor has not been started.');
    return this.#members;
  }
}

/** What exists once the host is a member of its group. */
export interface Members {
  readonly boot: Bootstrapped;
  readonly heartbeat: Heartbeat;
  readonly housekeeping: Housekeeping;
  readonly orders: DrainOrders;
  readonly tenures: Tenures;
}

/** Of the time of a stop, for the end of the heartbeat: the others need not wait for it to fall silent. At least so much, however short the stop. */
const lastWordMs = 1000;
const lastWordMsMin = 100;

const storeProblems: ReadonlySet<HealthProblem> = new Set(['lease-store-failing', 'credentials-refused']);

/** Short leases leave less time: several calls must fit into one. */
function storeCallMs(settings: ProcessorSettings['lease']): number {
  return Math.min(storeCallMsMax, settings.expirationMs / 4);
}

function taken(instance: string): ProcessorError {
  return new ProcessorError(
    'instance-taken',
    `Another process has started as "${instance}" and takes its ranges. Give each process an instance of its own, or none.`,
  );
}

function drawNonce(ground: Ground): string {
  return Array.from({ length: 4 }, () => Math.floor(ground.random() * 2 ** 32).toString(36)).join('');
}
