// Virtual time. Everything that happens in a world is an event at a time; time jumps from one event to the next. Events of one moment
// come in seeded order, and between two events everything that can run has run.

import type { Chance } from './chance.ts';
import { settle } from './settle.ts';

/** Whose events can be held back or dropped: a host. */
export interface Gate {
  isDead: boolean;
  isFrozen: boolean;
  /** Events that came due while it was frozen, in their order. */
  readonly held: ScheduledEvent[];
}

export interface ScheduledEvent {
  timeMs: number;
  order: number;
  /** Undefined once it has happened or was cancelled. */
  fire: (() => void) | undefined;
  readonly gate: Gate | undefined;
}

export class Schedule {
  readonly #chance: Chance;
  readonly #heap: ScheduledEvent[] = [];
  #nowMs = 0;
  #events = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** True time, that no host sees. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** How many events have happened. */
  get events(): number {
    return this.#events;
  }

  /** `fire` happens `delayMs` from now; for a host that is dead by then it never does. */
  after(delayMs: number, fire: () => void, gate?: Gate): ScheduledEvent {
    const event = { timeMs: this.#nowMs + Math.max(0, delayMs), order: this.#chance.float(), fire, gate };
    push(this.#heap, event);
    return event;
  }

  at(timeMs: number, fire: () => void, gate?: Gate): ScheduledEvent {
    return this.after(timeMs - this.#nowMs, fire, gate);
  }

  cancel(event: ScheduledEvent): void {
    event.fire = undefined;
  }

  /** What came due while the host was frozen happens now. */
  thaw(gate: Gate): void {
    gate.isFrozen = false;
    for (const event of gate.held.splice(0)) {
      event.timeMs = this.#nowMs;
      push(this.#heap, event);
    }
  }

  /** The next event and all that follows from it; false when nothing is left or nothing happens before `limitMs`. */
  async step(limitMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.timeMs > limitMs) return false;
      pop(this.#heap);
      const { fire, gate } = next;
      if (fire === undefined || gate?.isDead === true) continue;
      if (gate?.isFrozen === true) {
        gate.held.push(next);
        continue;
      }
      next.fire = undefined;
      this.#nowMs = Math.max(this.#nowMs, next.timeMs);
      this.#events += 1;
      fire();
      await settle();
      return true;
    }
  }

  /** Time passes up to `timeMs` although nothing happens. */
  passTo(timeMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.order < b.order);
}

function push(heap: ScheduledEvent[], event: ScheduledEvent): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as ScheduledEvent; // Above an index that exists.
    if (!isBefore(event, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = event;
}

function pop(heap: ScheduledEvent[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let below = 2 * index + 1;
    if (below >= heap.length) break;
    // Both exist: `below` is checked above, its sibling here.
    if (below + 1 < heap.length && isBefore(heap[below + 1] as ScheduledEvent, heap[below] as ScheduledEvent))
      below += 1;
    const child = heap[below] as ScheduledEvent;
    if (!isBefore(child, last)) break;
    heap[index] = child;
    index = below;
  }
  heap[index] = last;
}
