// What a process of a build is told, and what it answers.

export interface Work {
  readonly kind: 'upserts' | 'batches';
  readonly writers: number;
}

export interface BuildTurn {
  readonly turnMs: number;
  readonly rampMs: number;
}

/** Of one document. */
export interface TurnFigures {
  readonly perSecond: number;
  /** Of all threads, in the turn. */
  readonly processorMicros: number;
  /** Of the event loop alone, where the system tells; with the ramp, and with what the index has left to do at the end. */
  readonly mainMicros: number;
}
