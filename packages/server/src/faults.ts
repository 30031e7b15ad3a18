// Faults on demand: what a consumer must survive in production, made to happen where and when a test says so. Only a server
// that was started for it has them.
//
// A rule is about requests of an operation, a database, a container, or all. Each request it is about draws one number from
// the rule's own seed, in the order in which the server takes them up; the rule strikes when the number is below its
// probability. So the same seed and the same sequence of requests give the same faults. Rules are asked in the order in
// which they were made: one that delays lets the next ones strike as well, any other is the last.

import type { Database } from '@tidemark/engine';
import type { ResourcePath } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';
import type { HeaderList } from './header-list.ts';
import { faultRulesMax } from './limits.ts';
import type { CosmosResponse } from './response.ts';
import { seededChance } from './seeded-chance.ts';

/** Before: the request is not applied. After: it is, but its answer is late, lost or another one. */
export type FaultMoment = 'before' | 'after';

export const faultKinds = ['429', '503', '410', '449', 'latency', 'reset'] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultRule {
  readonly kind: FaultKind;
  readonly when: FaultMoment;
  /** None: every operation. */
  readonly operations: readonly string[];
  readonly database?: string;
  readonly container?: string;
  readonly probability: number;
  readonly seed: number;
  /** How many times it strikes at most. */
  readonly count?: number;
  readonly durationMs?: number;
  readonly retryAfterMs: number;
  readonly latencyMs: number;
}

export interface ListedFault extends FaultRule {
  readonly id: string;
  readonly isActive: boolean;
  /** Requests it was about, and how many of them it struck. */
  readonly requests: number;
  readonly hits: number;
  readonly remainingCount?: number;
  readonly remainingMs?: number;
}

/** What takes the place of the answer. */
export type Strike = CosmosResponse | 'reset';

export class Faults {
  readonly #rules = new Map<string, ArmedRule>();
  readonly #nowMs: () => number;
  readonly #delays = new Set<() => void>();
  #made = 0;
  #hits = 0;

  /** `nowMs` is a time that never jumps. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get hits(): number {
    return this.#hits;
  }

  add(rule: FaultRule): ListedFault {
    this.#forgetEnded();
    if (this.#rules.size >= faultRulesMax) {
      throw new DatabaseError('bad-request', `There are ${faultRulesMax} faults already; delete some first.`);
    }
    this.#made += 1;
    const id = String(this.#made);
    this.#rules.set(id, new ArmedRule(id, rule, this.#nowMs()));
    return this.find(id) as ListedFault; // Just set.
  }

  find(id: string): ListedFault | undefined {
    return this.#rules.get(id)?.listed(this.#nowMs());
  }

  list(): ListedFault[] {
    return [...this.#rules.values()].map((rule) => rule.listed(this.#nowMs()));
  }

  remove(id: string): boolean {
    return this.#rules.delete(id);
  }

  clear(): void {
    this.#rules.clear();
  }

  /** Resolves after the delays that were drawn, with what takes the place of the answer, or undefined to go on. */
  async strike(
    when: FaultMoment,
    operation: string,
    path: ResourcePath,
    database: Database,
  ): Promise<Strike | undefined> {
    for (const armed of this.#rules.values()) {
      if (!armed.draw(when, operation, path, database, this.#nowMs())) continue;
      const { id, rule } = armed;
      this.#hits += 1;
      if (rule.kind !== 'latency') return strikeOf(id, rule.kind, rule);
      await this.#delay(rule.latencyMs);
    }
    return undefined;
  }

  /** Ends every delay at once. */
  close(): void {
    for (const end of [...this.#delays]) end();
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#delays.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#delays.add(end);
    });
  }

  /** Those that have ended are kept for whoever wants to see their hits, as long as there is room. */
  #forgetEnded(): void {
    const nowMs = this.#nowMs();
    for (const [id, rule] of this.#rules) {
      if (this.#rules.size < faultRulesMax) return;
      if (!rule.isActive(nowMs)) this.#rules.delete(id);
    }
  }
}

class ArmedRule {
  readonly id: string;
  readonly rule: FaultRule;
  readonly #chance: () => number;
  readonly #sinceMs: number;
  #requests = 0;
  #hits = 0;

  constructor(id: string, rule: FaultRule, nowMs: number) {
    this.id = id;
    this.rule = rule;
    this.#chance = seededChance(rule.seed);
    this.#sinceMs = nowMs;
  }

  isActive(nowMs: number): boolean {
    const { count, durationMs } = this.rule;
    if (count !== undefined && this.#hits >= count) return false;
    return durationMs === undefined || nowMs - this.#sinceMs < durationMs;
  }

  draw(when: FaultMoment, operation: string, path: ResourcePath, database: Database, nowMs: number): boolean {
    const { rule } = this;
    if (rule.when !== when || !this.isActive(nowMs)) return false;
    if (rule.operations.length > 0 && !rule.operations.includes(operation)) return false;
    if (!isAbout(rule, path, database)) return false;
    this.#requests += 1;
    if (this.#chance() >= rule.probability) return false;
    this.#hits += 1;
    return true;
  }

  listed(nowMs: number): ListedFault {
    const { id, rule } = this;
    const { count, durationMs } = rule;
    return {
      id,
      ...rule,
      isActive: this.isActive(nowMs),
      requests: this.#requests,
      hits: this.#hits,
      ...(count === undefined ? {} : { remainingCount: count - this.#hits }),
      ...(durationMs === undefined
        ? {}
        : { remainingMs: Math.max(0, Math.round(durationMs - (nowMs - this.#sinceMs))) }),
    };
  }
}

/** Paths name databases and containers by id or by rid; a rule names them by id. */
function isAbout(rule: FaultRule, path: ResourcePath, database: Database): boolean {
  if (rule.database === undefined) return true;
  const owner = database.findDatabase(rule.database);
  if (path.ids[0] !== rule.database && path.ids[0] !== owner?.rid) return false;
  if (rule.container === undefined || path.ids[1] === rule.container) return true;
  const rid = owner === undefined ? undefined : database.findContainer(rule.database, rule.container)?.rid;
  return rid !== undefined && path.ids[1] === rid;
}

function strikeOf(id: string, kind: Exclude<FaultKind, 'latency'>, { retryAfterMs }: FaultRule): Strike {
  switch (kind) {
    case 'reset':
      return 'reset';
    case '429': {
      const more = [header.substatus, '3200', header.retryAfterMs, String(retryAfterMs)];
      return answer(id, 429, '429', 'The request rate is too large. Please retry after some time.', more);
    }
    // Wire: clients look at the ranges again, find them as they were, and go on where they had been (wire 10).
    case '410':
      return answer(id, 410, 'Gone', 'The partition key range is gone; read the ranges again.', [
        header.substatus,
        '1002',
      ]);
    case '449':
      return answer(id, 449, 'RetryWith', 'Conflicting request to resource has been attempted. Retry.', []);
    case '503':
      return answer(id, 503, 'ServiceUnavailable', 'Service is currently unavailable. Retry.', []);
  }
}

function answer(id: string, status: number, code: string, message: string, headers: HeaderList): CosmosResponse {
  const body = Buffer.from(JSON.stringify({ code, message: `${message} (Injected by fault ${id}.)` }));
  return { status, charge: 0, headers: [...headers, header.fault, id], body };
}
