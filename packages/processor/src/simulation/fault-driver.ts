// Makes the faults of a plan happen, and ends them.

import type { Fault, HostFaultKind, Port } from './fault.ts';
import { requestFaultKinds } from './fault.ts';
import type { World } from './world.ts';
import type { WorldHost } from './world-host.ts';

const requestKinds: ReadonlySet<string> = new Set(requestFaultKinds);

export class FaultDriver {
  readonly #world: World;
  /** The host that plays the part of each host of the plan at present. */
  readonly slots: WorldHost[] = [];
  readonly #endings = new Map<Fault, () => void>();

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
        void world.stop(target, chance.between(500, 3000));
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
