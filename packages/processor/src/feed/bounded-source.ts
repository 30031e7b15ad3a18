// A source whose every call ends in time: with an answer, with an error, or given up.

import { bounded } from '../bounded.ts';
import type { Clock, ContainerPlace } from '../environment.ts';
import type { FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from './feed-source.ts';

export class BoundedSource implements FeedSource {
  readonly #source: FeedSource;
  readonly #clock: Clock;
  readonly #callMs: number;

  constructor(source: FeedSource, clock: Clock, callMs: number) {
    this.#source = source;
    this.#clock = clock;
    this.#callMs = callMs;
  }

  get at(): ContainerPlace | undefined {
    return this.#source.at;
  }

  identity(signal?: AbortSignal): Promise<SourceIdentity> {
    return this.#bounded(signal, (inner) => this.#source.identity(inner));
  }

  ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    return this.#bounded(signal, (inner) => this.#source.ranges(inner));
  }

  read(read: FeedRead): Promise<FeedPage> {
    return this.#bounded(read.signal, (signal) => this.#source.read({ ...read, signal }));
  }

  #bounded<T>(signal: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return bounded(this.#clock, this.#callMs, signal, call, this.at?.endpoint);
  }
}
