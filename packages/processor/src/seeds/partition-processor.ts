// An own way to read a range (M12): it takes the place of the pump, and gets the lease, the feed and the observer.

import { isDatabaseError } from '@tidemark/model';
import type { FeedPage, FeedRead } from '../feed/feed-source.ts';
import { ProcessorError } from '../processor-error.ts';
import type { MakePump, Pump, PumpContext, PumpEnd, PumpLease } from '../pump/pump.ts';
import type { ChangeFeedObserver } from './change-feed-observer.ts';

export interface PartitionLease {
  readonly leaseToken: string;
  readonly owner: string;
  /** Where to begin: what was checkpointed last, or the start of the group. */
  readonly start: PumpLease['start'];
  /** A page of this range. Throws a DatabaseError `range-gone` after a split, which `run` has to let through. */
  read(read: Omit<FeedRead, 'range' | 'keys' | 'mode'>): Promise<FeedPage>;
  /** Stores a position. Rejects when another host has the range. */
  checkpoint(position: string): Promise<void>;
}

export interface PartitionProcessor {
  /** Reads until the signal aborts; then it finishes what it is at and returns. */
  run(signal: AbortSignal): Promise<void>;
}

export interface PartitionProcessorFactory<T = Record<string, unknown>> {
  create(lease: PartitionLease, observer: ChangeFeedObserver<T>): PartitionProcessor;
}

export interface LeaseCheckpointer {
  /** The lease as it is then, which begins at this position. Rejects when another host has the range. */
  checkpoint(lease: PartitionLease, continuationToken: string): Promise<PartitionLease>;
}

/** The same, with what stores positions given beside the lease. */
export interface CheckpointPartitionProcessorFactory<T = Record<string, unknown>> {
  create(
    lease: PartitionLease,
    leaseCheckpointer: LeaseCheckpointer,
    observer: ChangeFeedObserver<T>,
  ): PartitionProcessor;
}

export function withoutCheckpointer<T>(factory: CheckpointPartitionProcessorFactory<T>): PartitionProcessorFactory<T> {
  return { create: (lease, observer) => factory.create(lease, checkpointerOf(lease), observer) };
}

function checkpointerOf({ leaseToken, checkpoint }: PartitionLease): LeaseCheckpointer {
  return {
    checkpoint: async (lease, position) => {
      if (lease.leaseToken !== leaseToken) {
        throw new ProcessorError('invalid-option', `This stores positions of range ${leaseToken} only.`);
      }
      await checkpoint(position);
      return { ...lease, start: { position } };
    },
  };
}

export function pumpsOf<T>(
  factory: PartitionProcessorFactory<T>,
  observerOf: (lease: PumpLease) => ChangeFeedObserver<T>,
): MakePump {
  return (lease, context) => new PluggedPump(lease, context, (given) => factory.create(given, observerOf(lease)));
}

class PluggedPump implements Pump {
  readonly #context: PumpContext;
  readonly #processor: PartitionProcessor;
  readonly #drain: AbortController = new AbortController();
  stored: string | undefined;

  constructor(lease: PumpLease, context: PumpContext, create: (lease: PartitionLease) => PartitionProcessor) {
    const { range, keys, mode, start, leaseToken } = lease;
    this.#context = context;
    this.stored = typeof start === 'object' && 'position' in start ? start.position : undefined;
    this.#processor = create({
      leaseToken,
      start,
      owner: context.instance,
      read: (read) => context.source.read({ ...read, range, keys, mode }),
      checkpoint: (position) => this.#checkpoint(position),
    });
  }

  async run(): Promise<PumpEnd> {
    const { signal } = this.#context;
    try {
      await this.#processor.run(AbortSignal.any([signal, this.#drain.signal]));
    } catch (error) {
      if (signal.aborted) return { kind: 'aborted', error: signal.reason };
      if (this.#drain.signal.aborted) return { kind: 'drained' };
      if (isDatabaseError(error) && error.code === 'range-gone') return { kind: 'gone' };
      return { kind: 'feed-failed', error };
    }
    if (signal.aborted) return { kind: 'aborted', error: signal.reason };
    if (this.#drain.signal.aborted) return { kind: 'drained' };
    const error = new ProcessorError('handler-failed', 'The partition processor has ended although nobody stopped it.');
    return { kind: 'feed-failed', error };
  }

  drain(): void {
    this.#drain.abort(new ProcessorError('stopped', 'The range is to be finished.'));
  }

  async #checkpoint(position: string): Promise<void> {
    if (!this.#context.isHeld()) throw new ProcessorError('fenced', 'The lease could not be renewed in time.');
    await this.#context.checkpoint(position);
    this.stored = position;
  }
}
