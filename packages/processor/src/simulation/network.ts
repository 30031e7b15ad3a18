// Between the hosts and what they talk to: requests take time, and while a fault lasts they are lost, late, doubled or refused.
//
// A request is judged when it is sent and its answer when it is sent back. Arriving is an event of the world: what a host sent before it
// died still arrives. The answer is an event of the host.

import { DatabaseError } from '@tidemark/model';
import type { Chance } from './chance.ts';
import type { Fault, FaultKind, Port, RequestFaultKind } from './fault.ts';
import { requestFaultKinds } from './fault.ts';
import type { Gate, Schedule } from './schedule.ts';

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

export interface NetworkNode {
  readonly gate: Gate;
  readonly chance: Chance;
  /** Ports that nothing passes, each with the number of faults that close it. */
  readonly closed: Map<Port, number>;
  /** Requests without an answer yet (I11). */
  open: number;
}

export interface NetworkCall<T> {
  readonly port: Port;
  readonly operation: 'read' | 'list' | 'swap' | 'create' | 'wait';
  /** How long the other side may take on purpose. */
  readonly waitMs?: number;
  /** It begins at a position. */
  readonly hasPosition?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Runs when the request arrives; answers now or later. The function that it returns gives up waiting. */
  serve(
    answer: (outcome: Outcome<T>) => void,
    options: { readonly asOfMs: number | undefined },
  ): (() => void) | undefined;
}

export interface NetworkTimes {
  readonly latencyMsMin: number;
  readonly latencyMsMax: number;
  /** A client gives up on an answer after this. */
  readonly requestMsMax: number;
}

export const defaultNetworkTimes: NetworkTimes = { latencyMsMin: 0.5, latencyMsMax: 40, requestMsMax: 10_000 };

export class Network {
  readonly #schedule: Schedule;
  readonly times: NetworkTimes;
  /** How often each kind happened to something. */
  readonly hits: Map<FaultKind, number> = new Map();
  /** Requests by port and operation, answered or not (I12). */
  readonly sent: Map<string, number> = new Map();
  readonly #active = new Map<Fault, { readonly chance: Chance; readonly node: NetworkNode | undefined }>();

  constructor(schedule: Schedule, times: NetworkTimes) {
    this.#schedule = schedule;
    this.times = times;
  }

  begin(fault: Fault, chance: Chance, node: NetworkNode | undefined): void {
    this.#active.set(fault, { chance, node });
  }

  end(fault: Fault): void {
    this.#active.delete(fault);
  }

  hit(kind: FaultKind): void {
    this.hits.set(kind, (this.hits.get(kind) ?? 0) + 1);
  }

  call<T>(node: NetworkNode, call: NetworkCall<T>): Promise<T> {
    if (call.signal?.aborted === true) return Promise.reject(call.signal.reason);
    const name = `${call.port} ${call.operation}`;
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    return new Promise((resolve, reject) => new Exchange(this.#schedule, this, node, call, resolve, reject));
  }

  isClosed(node: NetworkNode, port: Port): boolean {
    return (node.closed.get(port) ?? 0) > 0;
  }

  /** What happens to a request that is sent now; at most one thing besides being slow. */
  judge(
    node: NetworkNode,
    call: NetworkCall<unknown>,
  ): { readonly kind: RequestFaultKind | undefined; readonly delayMs: number } {
    let kind: RequestFaultKind | undefined;
    let delayMs = 0;
    for (const [fault, { chance, node: only }] of this.#active) {
      if (only !== undefined && only !== node) continue;
      if (fault.port !== undefined && fault.port !== call.port) continue;
      if (!canHappenTo(fault.kind, call)) continue;
      if (!chance.bool(fault.share)) continue;
      if (fault.kind === 'slow') {
        delayMs += chance.between(100, 6000);
        this.hit('slow');
      } else kind ??= fault.kind as RequestFaultKind; // canHappenTo lets through no other.
    }
    if (kind !== undefined) this.hit(kind);
    return { kind, delayMs };
  }

  latencyMs(chance: Chance): number {
    const { latencyMsMin, latencyMsMax } = this.times;
    return latencyMsMin + (latencyMsMax - latencyMsMin) * chance.float() ** 3;
  }
}

const requestKinds: ReadonlySet<string> = new Set(requestFaultKinds);

function canHappenTo(kind: FaultKind, { operation, port, hasPosition }: NetworkCall<unknown>): boolean {
  if (!requestKinds.has(kind)) return false;
  if (kind === 'stale-list') return operation === 'list';
  if (kind === 'conflict-storm') return operation === 'swap';
  if (kind === 'own-conflict' || kind === 'late-request') return operation === 'swap' || operation === 'create';
  if (kind === 'position-refused') return hasPosition === true;
  if (kind === 'false-gone') return port === 'feed' && operation === 'wait';
  return true;
}

class Exchange<T> {
  readonly #schedule: Schedule;
  readonly #network: Network;
  readonly #node: NetworkNode;
  readonly #call: NetworkCall<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #sentMs: number;
  readonly #kind: RequestFaultKind | undefined;
  readonly #delayMs: number;
  #isOver = false;
  #giveUp: (() => void) | undefined;
  readonly #onAbort: () => void;

  constructor(
    schedule: Schedule,
    network: Network,
    node: NetworkNode,
    call: NetworkCall<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#schedule = schedule;
    this.#network = network;
    this.#node = node;
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#sentMs = schedule.nowMs;
    this.#onAbort = () => this.#finish({ error: call.signal?.reason });
    call.signal?.addEventListener('abort', this.#onAbort, { once: true });
    node.open += 1;
    const { kind, delayMs } = network.judge(node, call);
    this.#kind = kind;
    this.#delayMs = delayMs;
    this.#send();
  }

  #send(): void {
    const { chance } = this.#node;
    const travelMs = this.#network.latencyMs(chance) + this.#delayMs;
    if (this.#network.isClosed(this.#node, this.#call.port) || this.#kind === 'lost-request') {
      this.#hearNothing();
      return;
    }
    if (this.#kind === 'late-request') {
      this.#hearNothing();
      this.#schedule.after(travelMs + chance.between(1, 4) * this.#network.times.requestMsMax, () =>
        this.#arriveUnheard(),
      );
      return;
    }
    this.#schedule.after(travelMs, () => this.#arrive());
    if (this.#kind === 'doubled-request')
      this.#schedule.after(travelMs + chance.between(1, 3000), () => this.#arriveUnheard());
  }

  #arrive(): void {
    // An aborted request may be done or not; here it is done, unless it would only wait.
    if (this.#isOver && this.#call.operation === 'wait') return;
    const refusal = refusalOf(this.#kind);
    if (refusal !== undefined) {
      this.#answer({ error: refusal });
      return;
    }
    const asOfMs =
      this.#kind === 'stale-list' ? this.#schedule.nowMs - this.#node.chance.between(1000, 40_000) : undefined;
    this.#giveUp = this.#serve((outcome) => this.#answer(outcome), asOfMs);
  }

  /** Nobody listens to the answer. */
  #arriveUnheard(): void {
    if (this.#call.operation === 'wait') return;
    this.#serve(() => undefined, undefined);
  }

  #serve(answer: (outcome: Outcome<T>) => void, asOfMs: number | undefined): (() => void) | undefined {
    try {
      return this.#call.serve(answer, { asOfMs });
    } catch (error) {
      answer({ error });
      return undefined;
    }
  }

  #answer(outcome: Outcome<T>): void {
    if (this.#isOver) return;
    if (this.#kind === 'lost-response' || this.#network.isClosed(this.#node, this.#call.port)) {
      this.#hearNothing();
      return;
    }
    const heard = this.#kind === 'own-conflict' && 'value' in outcome ? ownConflict(this.#call.operation) : outcome;
    const travelMs = this.#network.latencyMs(this.#node.chance) + this.#delayMs;
    this.#schedule.after(travelMs, () => this.#finish(heard), this.#node.gate);
  }

  #hearNothing(): void {
    const isWrite = this.#call.operation === 'swap' || this.#call.operation === 'create';
    const limitMs = this.#sentMs + (this.#call.waitMs ?? 0) + this.#network.times.requestMsMax;
    const give = (): void =>
      this.#finish({
        error: new DatabaseError(
          isWrite ? 'outcome-unknown' : 'request-timeout',
          'no answer within the time of a request',
        ),
      });
    this.#schedule.at(limitMs, give, this.#node.gate);
  }

  #finish(outcome: Outcome<T>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#giveUp?.();
    this.#node.open -= 1;
    if ('error' in outcome) this.#reject(outcome.error);
    else this.#resolve(outcome.value);
  }
}

function refusalOf(kind: RequestFaultKind | undefined): DatabaseError | undefined {
  switch (kind) {
    case 'throttled':
      return new DatabaseError('too-many-requests', 'throttled', { retryAfterMs: 100 });
    case 'unavailable':
      return new DatabaseError('unavailable', 'not available for the moment');
    case 'unauthorized':
      return new DatabaseError('unauthorized', 'the credentials have expired');
    case 'false-gone':
      return new DatabaseError('range-gone', 'the range is being moved');
    case 'position-refused':
      return new DatabaseError('invalid-continuation', 'the feed does not know this position');
    case 'conflict-storm':
      return new DatabaseError('precondition-failed', 'the etag does not match');
    default:
      return undefined;
  }
}

function ownConflict(operation: NetworkCall<unknown>['operation']): { readonly error: DatabaseError } {
  return {
    error:
      operation === 'create'
        ? new DatabaseError('conflict', 'it exists')
        : new DatabaseError('precondition-failed', 'the etag does not match'),
  };
}
