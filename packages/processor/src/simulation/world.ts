// A world: a container whose changes are read, a container of leases, hosts that read, a network between them, and virtual time. The same
// seed gives the same run, event for event.
//
// `oracle` watches every step; what it finds is in `violations`, and running stops at the first one.

import type { ProcessorEvent } from '../events.ts';
import type { SourceIdentity } from '../feed/feed-source.ts';
import { isProcessorError } from '../processor-error.ts';
import type { ProcessorSettings } from '../settings.ts';
import { Chance } from './chance.ts';
import type { Fault } from './fault.ts';
import { FaultDriver } from './fault-driver.ts';
import { worldEpochMs } from './host-clock.ts';
import type { Change, ModelRange, Write } from './model-container.ts';
import { ModelContainer } from './model-container.ts';
import { ModelDocuments } from './model-documents.ts';
import type { NetworkTimes } from './network.ts';
import { defaultNetworkTimes, Network } from './network.ts';
import { Operator } from './operator.ts';
import { Oracle } from './oracle.ts';
import { Schedule } from './schedule.ts';
import type { Violation } from './violation.ts';
import { Visibility } from './visibility.ts';
import type { HandlerInWorld, HostEquipment, MakeProgram } from './world-host.ts';
import { WorldHost } from './world-host.ts';
import { worldSettings } from './world-settings.ts';
import { WorldSource } from './world-source.ts';
import { makeWorldStore } from './world-store.ts';

export interface WorldOptions {
  readonly seed: number | string;
  /** What runs in each host. */
  readonly program: (equipment: HostEquipment, settings: ProcessorSettings) => ReturnType<MakeProgram>;
  readonly settings?: Omit<ProcessorSettings, 'instance'>;
  readonly ranges?: number;
  readonly handler?: HandlerInWorld;
  /** Whether the endpoints answer an empty feed only after a while. */
  readonly canWait?: boolean;
  readonly retentionMs?: number;
  readonly network?: NetworkTimes;
  readonly partitionKeyPath?: '/id' | '/partitionKey';
  /** Hosts may differ: `index` counts them in the order of their starts. */
  readonly settingsOf?: (settings: ProcessorSettings, index: number) => ProcessorSettings;
  /** Leases that are there already, as of a world before. */
  readonly leases?: ModelDocuments;
  readonly containerRid?: string;
  /** A host whose start fails is started again, as a supervisor would. */
  readonly isSupervised?: boolean;
  /** Ranges that were halted are resumed after a while, as an operator would. */
  readonly isAttended?: boolean;
}

/** Far more than all hosts of any test need, and less than a loop without a pause. */
const eventsPerSecondMax = 50_000;

/** How often somebody looks whether all that stands still was told of. */
const lookMs = 5000;

export class World {
  readonly chance: Chance;
  readonly schedule: Schedule;
  readonly network: Network;
  readonly container: ModelContainer;
  readonly leases: ModelDocuments;
  readonly deadLetters: ModelDocuments;
  readonly oracle: Oracle;
  readonly faults: FaultDriver;
  readonly operator: Operator;
  readonly settings: Omit<ProcessorSettings, 'instance'>;
  /** All that ever ran. */
  readonly hosts: WorldHost[] = [];
  /** Told of everything that hosts tell. */
  onEvent: ((event: ProcessorEvent, host: WorldHost) => void) | undefined;
  readonly #options: WorldOptions;
  readonly #identity: SourceIdentity;
  readonly #visibility: Visibility;
  #lookedMs = 0;
  readonly #letters = new Set<Change>();
  #names = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.settings = options.settings ?? worldSettings;
    this.chance = new Chance(`world ${options.seed}`);
    this.schedule = new Schedule(this.chance.fork('order'));
    this.network = new Network(this.schedule, options.network ?? defaultNetworkTimes);
    const nowMs = (): number => this.schedule.nowMs;
    const wallMs = (): number => worldEpochMs + this.schedule.nowMs;
    this.container = new ModelContainer({
      ranges: options.ranges ?? 4,
      nowMs: wallMs,
      ...(options.retentionMs === undefined ? {} : { retentionMs: options.retentionMs }),
    });
    this.leases = options.leases ?? new ModelDocuments({ nowMs, partitionKeyPath: options.partitionKeyPath ?? '/id' });
    this.deadLetters = new ModelDocuments({ nowMs });
    this.oracle = new Oracle({
      container: this.container,
      leases: this.leases,
      mode: this.settings.mode,
      nowMs,
      expirationMs: this.settings.lease.expirationMs,
      handoffMs: this.settings.lease.handoffMs,
      mayRewind: this.settings.onPositionRefused !== 'fail',
      onDelivery: (record) => this.#visibility.began(record),
      onFinished: ({ partitionKey }) => this.#visibility.finished(partitionKey),
      hasTwin: ({ id, instance }) => this.hosts.some((host) => host.instance === instance && host.id !== id),
    });
    // Known when the first host has started: it says where the group begins.
    this.oracle.requiredFrom = Number.POSITIVE_INFINITY;
    this.leases.onWrite = (entry) => this.oracle.leaseWritten(entry);
    this.deadLetters.onWrite = (entry) => this.#parked(entry.after?.body);
    this.faults = new FaultDriver(this);
    this.#visibility = new Visibility(this, this.settings);
    this.operator = new Operator(this, this.chance.fork('operator'));
    this.#identity = {
      account: 'world.example',
      databaseRid: 'd1==',
      containerRid: options.containerRid ?? 'd1c1==',
      name: 'shop/orders',
      partitionKeyPaths: ['/pk'],
    };
  }

  get nowMs(): number {
    return this.schedule.nowMs;
  }

  get violations(): readonly Violation[] {
    return this.oracle.violations;
  }

  get alive(): readonly WorldHost[] {
    return this.hosts.filter((host) => host.isAlive);
  }

  // ---- The container ----

  write(partitionKey: string, id: string, document: Readonly<Record<string, unknown>> = {}): Change {
    return this.commit(partitionKey, [{ id, document }])[0] as Change; // A document was given, so there is a change.
  }

  remove(partitionKey: string, id: string): void {
    this.commit(partitionKey, [{ id, document: undefined }]);
  }

  commit(partitionKey: string, writes: readonly Write[]): readonly Change[] {
    return this.container.commit(partitionKey, writes);
  }

  split(id: string): readonly ModelRange[] | undefined {
    return this.container.split(id);
  }

  merge(id: string): ModelRange | undefined {
    return this.container.merge(id);
  }

  // ---- Processes ----

  start(instance: string = this.nextName()): WorldHost {
    const host = this.#makeHost(instance);
    this.hosts.push(host);
    this.schedule.after(0, () => this.#begin(host), host.gate);
    return host;
  }

  nextName(): string {
    this.#names += 1;
    return `host-${this.#names}`;
  }

  /** Resolves when the host has stopped; checks that it kept its deadline and left nothing behind. */
  async stop(host: WorldHost, drainMs = 30_000): Promise<void> {
    if (!host.isAlive || host.state === 'stopping') return;
    host.state = 'stopping';
    // Clocks may run slow, and the last word may take a moment.
    const limitMs = 1.1 * drainMs + 5000;
    const freezes = host.freezes;
    let late = this.schedule.after(limitMs, () => check(), host.gate);
    const check = (): void => {
      if (host.freezes === freezes) this.oracle.report('I9', `stop of ${host.id} did not return within ${limitMs} ms`);
      else
        late = this.schedule.after(
          limitMs,
          () => this.oracle.report('I9', `stop of ${host.id} did not return`),
          host.gate,
        );
    };
    try {
      await host.program?.stop({ drainMs });
      this.schedule.cancel(late);
      this.#ended(host);
    } catch (error) {
      this.oracle.report('I9', `stop of ${host.id} failed: ${String(error)}`);
    }
  }

  kill(host: WorldHost): void {
    host.kill();
  }

  freeze(host: WorldHost): void {
    host.gate.isFrozen = true;
    host.freezes += 1;
  }

  thaw(host: WorldHost): void {
    if (!host.gate.isFrozen) return;
    host.thawedMs = this.nowMs;
    this.schedule.thaw(host.gate);
  }

  // ---- Time ----

  /** Until `timeMs`, or until an invariant is broken. */
  async runTo(timeMs: number): Promise<void> {
    let [sinceMs, since] = [this.nowMs, this.schedule.events];
    while (this.violations.length === 0 && (await this.schedule.step(timeMs))) {
      if (this.nowMs - this.#lookedMs >= lookMs) this.#look();
      if (this.nowMs - sinceMs > 1000) [sinceMs, since] = [this.nowMs, this.schedule.events];
      else if (this.schedule.events - since > eventsPerSecondMax)
        this.oracle.report('I9', 'somebody works without a pause');
    }
    if (this.violations.length === 0) this.schedule.passTo(timeMs);
  }

  #look(): void {
    this.#lookedMs = this.nowMs;
    if (this.oracle.isBootstrapped) this.#visibility.look();
  }

  async run(durationMs: number): Promise<void> {
    await this.runTo(this.nowMs + durationMs);
  }

  /** Until the condition holds, asked every `everyMs`; false when it did not within `limitMs` or an invariant was broken. */
  async runUntil(condition: () => boolean, limitMs: number, everyMs = 500): Promise<boolean> {
    const endMs = this.nowMs + limitMs;
    while (!condition()) {
      if (this.violations.length > 0 || this.nowMs >= endMs) return false;
      await this.runTo(Math.min(endMs, this.nowMs + everyMs));
    }
    return true;
  }

  /** Runs until something that a host does has happened: a stop, a pause. */
  async until<T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    promise.then(over, over);
    const isDone = await this.runUntil(() => isOver, limitMs);
    if (!isDone) throw new Error(`not within ${limitMs} ms of the world: ${JSON.stringify(this.violations)}`);
    return promise;
  }

  play(faults: readonly Fault[]): void {
    this.faults.play(faults);
  }

  // ---- Inside ----

  #makeHost(instance: string): WorldHost {
    const id = `${instance}#${this.hosts.length + 1}`;
    const { pump } = this.settings;
    const chance = this.chance.fork(`process ${id}`);
    const host = new WorldHost({
      id,
      instance,
      schedule: this.schedule,
      chance,
      oracle: this.oracle,
      handler: this.#options.handler ?? (() => undefined),
      isManual: pump.checkpoint.kind === 'manual',
      stallMs: pump.stallMs,
      isRangeThere: (token, keys) =>
        token.includes('-')
          ? this.container.rangesOf(keys).length === 1
          : this.container.ranges.some(({ id }) => id === token),
    });
    const canWait = this.#options.canWait ?? true;
    const { schedule, network } = this;
    const { node } = host;
    const store = { schedule, network, node, writer: id, canWait };
    const equipment: HostEquipment = {
      instance,
      identity: this.#identity,
      ground: host.ground,
      source: new WorldSource({
        schedule,
        network,
        node,
        container: this.container,
        identity: this.#identity,
        canWait,
        onAnswer: (token) => host.fed(token),
        onRefusal: (token) => {
          host.refused(token);
          this.oracle.refused(host, token);
        },
      }),
      leases: makeWorldStore({ ...store, documents: this.leases, name: 'shop/leases', port: 'store' }),
      deadLetters: makeWorldStore({ ...store, documents: this.deadLetters, name: 'shop/dead', port: 'dead-letters' }),
      observer: host.observer,
      emit: (event) => {
        if (host.gate.isDead) return;
        host.events.push(event);
        host.eventTimes.push(this.nowMs);
        this.#visibility.event(host, event);
        this.onEvent?.(event, host);
        if (this.#options.isAttended === true) this.operator.told(event);
        if (event.type === 'lease.acquired' && event.from === 'expired')
          this.oracle.takenAsExpired(host, event.leaseToken, event.epoch);
        if (event.type === 'item.parked') this.#parkedAgain(event.id);
        if (event.type === 'item.skipped') this.#skipped(event.id);
        // It has ended by itself: another host has its name.
        if (event.type === 'stopped' && host.state !== 'stopping') this.#ended(host);
      },
    };
    const settings = { ...this.settings, instance };
    host.program = this.#options.program(
      equipment,
      this.#options.settingsOf?.(settings, this.hosts.length) ?? settings,
    );
    return host;
  }

  #begin(host: WorldHost): void {
    host.program?.start().then(
      () => this.#started(host),
      (error: unknown) => this.#failedToStart(host, error),
    );
  }

  #started(host: WorldHost): void {
    if (host.state !== 'starting') return;
    host.state = 'running';
    this.oracle.isBootstrapped = true;
    if (this.oracle.requiredFrom === Number.POSITIVE_INFINITY)
      this.oracle.requiredFrom = this.#isFromNow() ? this.container.changes.length : 0;
  }

  #failedToStart(host: WorldHost, error: unknown): void {
    host.startError = error;
    if (host.state !== 'starting') return;
    this.#ended(host);
    if (this.#options.isSupervised === true && !isProcessorError(error, 'instance-taken')) {
      this.schedule.after(3000, () => this.faults.replace(host, this.start(host.instance)));
    }
  }

  #ended(host: WorldHost): void {
    if (host.state === 'dead' || host.state === 'ended') return;
    const wasAsked = host.state === 'stopping';
    host.state = 'ended';
    if (!wasAsked) return;
    this.oracle.ended(host);
    this.checkLeftovers(host);
  }

  /** I11: a host that has ended waits for nothing, whatever its handlers do. */
  checkLeftovers(host: WorldHost): void {
    const { sleepers } = host.clock;
    const { open } = host.node;
    if (sleepers > 0 || open > 0)
      this.oracle.report('I11', `${host.id} has ended with ${sleepers} waits and ${open} requests under way`);
  }

  #parked(body: Readonly<Record<string, unknown>> | undefined): void {
    if (body === undefined) return;
    const { itemId, lsn, raw } = body;
    const change =
      typeof raw === 'string' ? changeInBytes(this.oracle, raw) : this.oracle.changeOf(String(itemId), Number(lsn));
    if (change === undefined) return;
    this.#letters.add(change);
    this.oracle.resolved(change);
  }

  /** Parked by one owner and, since it was not stored that it was, by the next: there is one letter. */
  #parkedAgain(id: string): void {
    for (const change of this.#letters) if (change.id === id) this.oracle.resolved(change);
  }

  #skipped(id: string): void {
    for (const change of this.container.changes)
      if (change.id === id && this.oracle.deliveriesOf(change) > 0) this.oracle.resolved(change);
  }

  /** What the group has written down about its start, whatever this world's hosts were told. */
  #isFromNow(): boolean {
    const record = this.leases.list('').find(({ id }) => id.includes('.x.start'));
    return (record?.body['start'] ?? this.settings.start) === 'now';
  }
}

/** What cannot be parsed still shows which document it was. */
function changeInBytes(oracle: Oracle, raw: string): Change | undefined {
  const text = atob(raw);
  const id = /"id":"([^"]*)"/.exec(text)?.[1];
  const lsn = /"_lsn":(\d+)/.exec(text)?.[1];
  return id === undefined ? undefined : oracle.changeOf(id, Number(lsn));
}
