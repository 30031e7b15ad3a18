// Somebody who watches the group of a world: pauses and resumes it, and sees to it that a range which was halted is tried again.

import type { ProcessorEvent } from '../events.ts';
import type { Chance } from './chance.ts';
import type { World } from './world.ts';

export class Operator {
  readonly #world: World;
  readonly #chance: Chance;
  /** Pauses that are wanted at present. */
  #pauses = 0;
  #isMending = false;

  constructor(world: World, chance: Chance) {
    this.#world = world;
    this.#chance = chance;
  }

  /** From now until the returned function is called. */
  pause(): () => void {
    this.#pauses += 1;
    this.#ask('pause');
    return () => {
      this.#pauses -= 1;
      this.#resume();
    };
  }

  /** A range that waits for a person does not wait long. */
  told(event: ProcessorEvent): void {
    if (event.type !== 'health' || !waitsForSomebody.has(event.problem) || this.#isMending) return;
    this.#isMending = true;
    this.#world.schedule.after(this.#chance.between(3000, 25_000), () => this.#mend());
  }

  /** Until it is done: who was asked may be dead by now. What halts in the meantime is told of again. */
  #mend(): void {
    if (this.#pauses === 0) {
      this.#isMending = false;
      this.#ask('resume', () => {
        if (this.#isMending) return;
        this.#isMending = true;
        this.#world.schedule.after(retryMs, () => this.#mend());
      });
    } else this.#world.schedule.after(retryMs, () => this.#mend());
  }

  /** Until it is so: a pause that is under way may still arrive after the resumption. */
  #resume(): void {
    const isPaused = this.#world.leases
      .list('')
      .some(({ id, body }) => id.includes('.x.control') && body['paused'] === true);
    if (isPaused && this.#pauses === 0) this.#ask('resume');
    this.#world.schedule.after(20_000, () => this.#resume());
  }

  /** Of any host that can. */
  #ask(what: 'pause' | 'resume', onFailed: () => void = () => {}): void {
    const host = this.#world.alive.find(({ state, gate }) => state === 'running' && !gate.isFrozen);
    const asked = host?.program?.[what]?.();
    if (asked === undefined) {
      onFailed();
      return;
    }
    let isDone = false;
    asked.then(
      () => {
        isDone = true;
      },
      () => {},
    );
    this.#world.schedule.after(retryMs, () => {
      if (!isDone) onFailed();
    });
  }
}

const retryMs = 10_000;

const waitsForSomebody: ReadonlySet<string> = new Set(['halted', 'position-refused']);
