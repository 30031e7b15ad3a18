// Makes the faults of a plan happen, and ends them.

import type { Fault, HostFaultKind, OperatorFaultKind, Port } from './fault.ts';
import { operatorFaultKinds, requestFaultKinds } from './fault.ts';
import { leaseFactsOf } from './lease-facts.ts';
import type { World } from './world.ts';
import type { WorldHost } from './world-host.ts';

const requestKinds: ReadonlySet<string> = new Set(requestFaultKinds);
const operatorKinds: ReadonlySet<string> = new Set(operatorFaultKinds);

export class FaultDriver {
  readonly #world: World;
  /** The host that plays the part of each host of the plan at present. */
  readonly slots: WorldHost[] = [];
  readonly #endings = new Map<Fault, () => void>();
  readonly #releases = new Map<Fault, () => void>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The host took the place of another. */
  replace(old: WorldHost, next: WorldHost): void {
    const slot = this.slots.indexOf(old);
    if (slot >= 0) this.slots[slot] = next;
  }

  play(faults: readonly Fault[]): void {
    faults.forEach((fault, index) => {
      this.#world.schedule.at(fault.atMs, () => this.#begin(fault, index));
    });
  }

  /** Faults are off from now on. */
  endAll(): void {
    for (const fault of [...this.#endings.keys()]) this.#end(fault);
  }

  get active(): number {
    return this.#endings.size;
  }

  #begin(fault: Fault, index: number): void {
    const target = fault.host === undefined ? undefined : this.slots[fault.host % Math.max(1, this.slots.length)];
    if (requestKinds.has(fault.kind)) {
      this.#world.network.begin(fault, this.#world.chance.fork(`fault ${index}`), target?.node);
      this.#endings.set(fault, () => this.#world.network.end(fault));
    } else if (operatorKinds.has(fault.kind)) {
      if (fault.kind === 'pause') {
        this.#world.network.hit('pause');
        this.#endings.set(fault, this.#world.operator.pause());
      } else this.#tamper(fault.kind as Exclude<OperatorFaultKind, 'pause'>, fault.host ?? 0);
      if (fault.kind !== 'pause') return;
    } else {
      if (target === undefined || !target.isAlive || target.gate.isFrozen) return;
      this.#endings.set(fault, this.#beginAtHost(fault, fault.kind as HostFaultKind, target, index));
      this.#world.network.hit(fault.kind);
    }
    this.#world.schedule.after(fault.durationMs, () => this.#end(fault));
  }

  #end(fault: Fault): void {
    const ending = this.#endings.get(fault);
    this.#endings.delete(fault);
    ending?.();
  }

  /** By hand, at once, without a network. */
  #tamper(kind: Exclude<OperatorFaultKind, 'pause'>, which: number): void {
    const { leases, oracle, network } = this.#world;
    const documents = leases.list('').filter((document) => leaseFactsOf(document)?.isTombstone === false);
    const document = documents[which % Math.max(1, documents.length)];
    if (document === undefined || !oracle.isBootstrapped) return;
    if (kind === 'lease-deleted') {
      // It takes some time until the hole is believed, and some more faults may lie in between.
      oracle.bearHoles(400_000);
      // Hosts may lack the permission; this person has it.
      const isForbidden = leases.forbidden.delete('remove');
      leases.remove(document);
      if (isForbidden) leases.forbidden.add('remove');
    } else {
      const key = `copy-of-${document.key}`;
      if (document.body['partitionKey'] === undefined || leases.read(document.id, key) !== undefined) return;
      oracle.doubled(leaseFactsOf(document)?.token ?? '');
      leases.create({ ...document.body, id: document.id, partitionKey: key });
    }
    network.hit(kind);
  }

  /** A fault of a test, from now until the returned function is called. */
  begin(fault: Pick<Fault, 'kind'> & Partial<Fault>, target?: WorldHost): () => void {
    const whole: Fault = { atMs: 0, durationMs: 0, host: undefined, port: undefined, share: 1, ...fault };
    if (requestKinds.has(whole.kind)) {
      this.#world.network.begin(whole, this.#world.chance.fork(`begun at ${this.#world.nowMs}`), target?.node);
      return () => this.#world.network.end(whole);
    }
    if (target === undefined) throw new Error(`${whole.kind} happens to a host`);
    return this.#beginAtHost(whole, whole.kind as HostFaultKind, target, -1);
  }

  #beginAtHost(fault: Fault, kind: HostFaultKind, target: WorldHost, index: number): () => void {
    const world = this.#world;
    const chance = world.chance.fork(`fault ${index}`);
    switch (kind) {
      case 'partition-feed':
        return close(target, ['feed']);
      case 'partition-store':
        return close(target, ['store', 'dead-letters']);
      case 'partition-both':
        return close(target, ['feed', 'store', 'dead-letters']);
      case 'freeze':
        world.freeze(target);
        return () => world.thaw(target);
      case 'kill':
        world.kill(target);
        return () => undefined;
      case 'kill-same-name':
        world.kill(target);
        return () => this.replace(target, world.start(target.instance));
      case 'kill-new-name':
        world.kill(target);
        return () => this.replace(target, world.start());
      case 'clock-jump':
        target.clock.jump(chance.between(-120_000, 120_000));
        return () => undefined;
      case 'clock-drift':
        target.clock.drift(chance.between(0.92, 1.08));
        return () => target.clock.drift(1);
      case 'stop-start':
        void world.stop(target, chance.bool(0.3) ? chance.between(1000, 6000) : chance.between(5000, 30_000));
        return () => this.replace(target, world.start());
      case 'join-leave': {
        const guest = world.start();
        return () => void world.stop(guest);
      }
      case 'twin':
        this.replace(target, world.start(target.instance));
        return () => undefined;
      case 'handler-throws':
        target.throwShare = fault.share;
        return () => {
          target.throwShare = 0;
        };
      case 'handler-slow':
        target.slowShare = fault.share;
        return () => {
          target.slowShare = 0;
        };
      case 'handler-fatal':
        target.fatalShare = fault.share;
        return () => {
          target.fatalShare = 0;
        };
      case 'observer-slow':
        target.observerShare = fault.share;
        return () => {
          target.observerShare = 0;
        };
      case 'handler-hangs':
        target.hangUntil = new Promise((resolve) => {
          this.#releases.set(fault, resolve);
        });
        return () => {
          target.hangUntil = undefined;
          this.#releases.get(fault)?.();
          this.#releases.delete(fault);
        };
    }
  }
}

function close(host: WorldHost, ports: readonly Port[]): () => void {
  const { closed } = host.node;
  for (const port of ports) closed.set(port, (closed.get(port) ?? 0) + 1);
  return () => {
    for (const port of ports) closed.set(port, (closed.get(port) ?? 1) - 1);
  };
}
