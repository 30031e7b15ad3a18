// I13: what stops progress is told of. Looked at every few seconds of a run, from outside: changes that wait, the hosts whose matter they
// are, and what these hosts have told.
//
//  - A range with changes that wait, whose owner is at work and for which nothing was finished for a watchdog period since the observer
//    opened, has a problem that somebody has told of, or that was over a moment ago.
//  - A handler call that takes longer than `handlerWarnMs` is told of as slow, or as hung; so is an `open`.

import { keyRangeContains } from '@tidemark/model';
import type { ProcessorEvent } from '../events.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { DeliveryRecord } from './delivery.ts';
import { worldEpochMs } from './host-clock.ts';
import type { LeaseFacts } from './lease-facts.ts';
import type { World } from './world.ts';
import type { WorldHost } from './world-host.ts';

/** A problem from its telling to the end of it. */
interface Told {
  readonly problem: string;
  readonly leaseToken: string | undefined;
  readonly fromMs: number;
  untilMs: number;
}

export class Visibility {
  readonly #world: World;
  readonly #periodMs: number;
  readonly #warnMs: number;
  readonly #told = new Map<WorldHost, Told[]>();
  /** When the last change of a partition key was finished. */
  readonly #finishedMs = new Map<string, number>();
  readonly #running = new Set<DeliveryRecord>();
  #pausedMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, { pump }: Pick<ProcessorSettings, 'pump'>) {
    this.#world = world;
    // A read that hangs, and then a feed that may fail for so long; clocks may be slow, and a look comes when it comes.
    const { requestMsMax } = world.network.times;
    this.#periodMs = 1.1 * (pump.stallMs + pump.waitMs + 2 * requestMsMax) + 10_000;
    this.#warnMs = 1.1 * pump.handlerWarnMs + 1000;
  }

  event(host: WorldHost, event: ProcessorEvent): void {
    if (event.type !== 'health' && event.type !== 'healthy') return;
    const told = this.#told.get(host) ?? [];
    this.#told.set(host, told);
    const { problem, leaseToken } = event;
    const { nowMs } = this.#world;
    if (event.type === 'health') told.push({ problem, leaseToken, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY });
    else
      for (const one of told)
        if (one.problem === problem && one.leaseToken === leaseToken && one.untilMs > nowMs) one.untilMs = nowMs;
  }

  began(record: DeliveryRecord): void {
    this.#running.add(record);
  }

  finished(partitionKey: string): void {
    this.#finishedMs.set(partitionKey, this.#world.nowMs);
  }

  look(): void {
    const world = this.#world;
    if (world.leases.list('').some(({ id, body }) => id.includes('.x.control') && body['paused'] === true))
      this.#pausedMs = world.nowMs;
    this.#lookAtCalls();
    for (const host of world.alive) this.#lookAtOpens(host);
    for (const lease of world.oracle.liveLeases()) this.#lookAtRange(lease);
  }

  #lookAtCalls(): void {
    const { nowMs, oracle } = this.#world;
    for (const record of this.#running) {
      const { outcome, beganMs, place } = record;
      const host = record.actor as WorldHost; // Every call of a world is one of its hosts'.
      const isOver = outcome !== 'running' || !host.isAlive || host.thawedMs > beganMs || host.gate.isFrozen;
      if (isOver || nowMs - beganMs > this.#warnMs) this.#running.delete(record);
      if (isOver || nowMs - beganMs <= this.#warnMs) continue;
      const isTold = this.#toldBy(host, place.leaseToken, beganMs).some(({ problem }) => ofCalls.has(problem));
      if (!isTold) oracle.report('I13', `${host.id} does not tell that a handler of range ${place.leaseToken} is slow`);
    }
  }

  #lookAtOpens(host: WorldHost): void {
    const { nowMs, oracle } = this.#world;
    for (const [token, { beganMs, endedMs, signal }] of host.opens) {
      const isOver = endedMs !== undefined || signal.aborted || host.thawedMs > beganMs || host.gate.isFrozen;
      if (isOver || nowMs - beganMs <= this.#warnMs) continue;
      const isTold = this.#toldBy(host, token, beganMs).some(({ problem }) => ofCalls.has(problem));
      if (!isTold) oracle.report('I13', `${host.id} does not tell that range ${token} is slow to open`);
    }
  }

  /** Nothing is read before `open` is over. One that takes long is told of, and no reason to count later. */
  #openedMs(host: WorldHost, token: string): number {
    const call = host.opens.get(token);
    return call === undefined
      ? Number.NEGATIVE_INFINITY
      : Math.min(call.endedMs ?? this.#world.nowMs, call.beganMs + this.#warnMs);
  }

  #lookAtRange(lease: LeaseFacts): void {
    const { nowMs, oracle, container, alive } = this.#world;
    const { keys, token } = lease;
    const host = alive.find(({ instance, state }) => instance === lease.owner && state === 'running');
    if (host === undefined || host.gate.isFrozen || keys === undefined) return;
    const sinceMs = Math.max(this.#pausedMs, host.thawedMs, oracle.ownedSinceMs(token), this.#openedMs(host, token));
    if (nowMs - sinceMs <= this.#periodMs) return;
    const waiting = container.changes.filter(
      (change) =>
        keyRangeContains(keys, change.position) &&
        change.timeMs - worldEpochMs < nowMs - this.#periodMs &&
        oracle.isOwed(change),
    );
    const [first] = waiting;
    if (first === undefined) return;
    const finishedMs = container.changes.reduce(
      (last, { position, partitionKey }) =>
        keyRangeContains(keys, position) ? Math.max(last, this.#finishedMs.get(partitionKey) ?? 0) : last,
      0,
    );
    if (nowMs - finishedMs <= this.#periodMs) return;
    const isTold = alive.some((one) => this.#toldBy(one, token, nowMs - this.#periodMs).length > 0);
    if (!isTold)
      oracle.report(
        'I13',
        `range ${token} of ${host.id} stands still, ${waiting.length} changes wait, and nobody tells why`,
      );
  }

  /** Problems of a range, or of the whole host, that were there at some time since. */
  #toldBy(host: WorldHost, token: string, sinceMs: number): readonly Told[] {
    const told = this.#told.get(host) ?? [];
    return told.filter(
      ({ leaseToken, untilMs }) => untilMs >= sinceMs && (leaseToken === undefined || leaseToken === token),
    );
  }
}

const ofCalls: ReadonlySet<string> = new Set(['handler-slow', 'handler-hung']);
