// What queries of one database share: those that are prepared, turns between their slices, and places where they run.

import { DatabaseError } from '@tidemark/model';
import type { ContainerFacts, FunctionContext, PreparedQuery } from '@tidemark/query';
import { conditionHolds, PreparedQueries, prepareCondition, readContainerFacts } from '@tidemark/query';
import type { ContainerDefinition } from '../container-definition.ts';
import type { Clock, Environment } from '../environment.ts';
import { queriesAtOnceMax } from '../limits.ts';
import type { Condition } from '../write/command.ts';
import { Places } from './places.ts';
import { Turns } from './turns.ts';

export type QueryKind = 'blocking' | 'streaming';

export interface QueryTools {
  readonly clock: Clock;
  readonly turns: Turns;
  /**
   * When there is a place for it: `blocking` is a query that needs all documents, `streaming` a page of any other. Throws request-timeout
   * when the signal aborts before.
   */
  run<T>(kind: QueryKind, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  context(definition?: ContainerDefinition): FunctionContext;
}

export class Queries implements QueryTools {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly #prepared = new PreparedQueries();
  /** The engine gives the same object as long as nothing about the container changes. */
  readonly #facts = new WeakMap<ContainerDefinition, ContainerFacts>();
  readonly #environment: Environment;
  /** Apart, so that many heavy queries do not keep the light ones waiting. */
  readonly #places: Readonly<Record<QueryKind, Places>> = {
    blocking: new Places(queriesAtOnceMax),
    streaming: new Places(queriesAtOnceMax),
  };

  constructor(environment: Environment) {
    this.#environment = environment;
    this.clock = environment.clock;
    this.turns = new Turns(environment.clock);
  }

  /** Without a definition about no container. Of the same text it is the same, as long as it is remembered. */
  prepare(text: string, parameterNames: readonly string[], definition?: ContainerDefinition): PreparedQuery {
    return this.#prepared.prepare(text, parameterNames, definition && this.#factsOf(definition));
  }

  async run<T>(kind: QueryKind, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const done = await this.#places[kind].with(async () => ({ result: await work() }), signal);
    if (done === undefined) throw nobodyWaits();
    return done.result;
  }

  /** What functions may know; without a definition that of no container. */
  context(definition?: ContainerDefinition): FunctionContext {
    const { clock } = this;
    return {
      nowMs: () => clock.nowMs(),
      startMs: clock.nowMs(),
      random: () => this.#random(),
      geospatialType: definition?.geospatialConfig.type ?? 'Geography',
    };
  }

  /** Of a patch. It knows the time of the decision and no chance: a decision may be made twice. */
  condition(text: string, definition: ContainerDefinition): Condition {
    if (typeof text !== 'string') throw new DatabaseError('bad-request', 'The condition of a patch is a text of SQL.');
    const prepared = prepareCondition(text, this.#prepared, this.#factsOf(definition));
    const { type: geospatialType } = definition.geospatialConfig;
    return (body, membersEnd, nowMs) =>
      conditionHolds(prepared, body, membersEnd, {
        nowMs: () => nowMs,
        startMs: nowMs,
        random: noChance,
        geospatialType,
      });
  }

  #factsOf(definition: ContainerDefinition): ContainerFacts {
    let facts = this.#facts.get(definition);
    if (facts === undefined) {
      facts = readContainerFacts(definition.verbatim);
      this.#facts.set(definition, facts);
    }
    return facts;
  }

  #random(): number {
    const bytes = new Uint32Array(1);
    this.#environment.random(new Uint8Array(bytes.buffer));
    return (bytes[0] as number) / 2 ** 32;
  }
}

export function nobodyWaits(): DatabaseError {
  return new DatabaseError('request-timeout', 'Nobody waits for this query any more.');
}

function noChance(): never {
  throw new DatabaseError(
    'bad-request',
    'The condition of a patch is about the document alone: there is no RAND() in it.',
  );
}
