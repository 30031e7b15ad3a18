// What a host process is told at its start and later, and what it says. Everything goes over the channel between parent and
// child, in order; a handler returns only after its words have left the process, so that no kill can take them back.

export interface HostConfig {
  readonly rules: 'tidemark' | 'dotnet';
  readonly endpoint: string;
  /** Where it differs: through a proxy that can be cut. */
  readonly leaseEndpoint: string;
  readonly key: string;
  readonly database: string;
  readonly container: string;
  readonly leaseContainer: string;
  readonly name: string;
  readonly instance: string;
  readonly itemsMax: number;
  readonly isManual: boolean;
  /** Handlers wait from the first call on, until they are told to go on. */
  readonly isHeld: boolean;
  /** A handler that waits ignores its signal too. */
  readonly isDeaf: boolean;
  readonly renewMs: number;
  readonly acquireMs: number;
  readonly expirationMs: number;
  readonly drainMs: number;
  readonly dialect: 'v3' | 'v2';
}

export type HostCommand = { readonly command: 'hold' | 'release' | 'stop' | 'checkpoint' };

export interface Item {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
}

/** `at`: nanoseconds of the machine's monotonic clock, the same for all processes; only their order is looked at. */
export type HostWord =
  | { readonly type: 'started' }
  | {
      readonly type: 'batch';
      readonly call: number;
      readonly lease: string;
      readonly epoch: number;
      readonly attempt: number;
      /** Where a checkpoint of it leads. */
      readonly position: string;
      readonly items: readonly Item[];
      readonly at: string;
    }
  | { readonly type: 'handled'; readonly call: number; readonly lease: string; readonly at: string }
  | { readonly type: 'aborted'; readonly call: number; readonly lease: string; readonly at: string }
  | { readonly type: 'acknowledged'; readonly call: number; readonly lease: string }
  | { readonly type: 'refused'; readonly call: number; readonly lease: string; readonly code: string }
  | { readonly type: 'opened'; readonly lease: string; readonly epoch: number; readonly at: string }
  | {
      readonly type: 'closed';
      readonly lease: string;
      readonly epoch: number;
      readonly reason: string;
      readonly at: string;
    }
  | { readonly type: 'event'; readonly name: string; readonly lease: string | undefined; readonly text: string }
  | { readonly type: 'failed'; readonly code: string; readonly text: string }
  | { readonly type: 'stopped' };
