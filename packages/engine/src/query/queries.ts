// What queries of one database share: those that are prepared, turns between their slices, and places for those that are heavy.

import type { FunctionContext } from '@tidemark/query';
import { PreparedQueries } from '@tidemark/query';
import type { ContainerDefinition } from '../container-definition.ts';
import type { Clock, Environment } from '../environment.ts';
import { queriesAtOnceMax } from '../limits.ts';
import { Places } from './places.ts';
import { Turns } from './turns.ts';

export interface QueryTools {
  readonly clock: Clock;
  readonly turns: Turns;
  /** For a query that needs all documents: when there is a place for it. */
  blocking<T>(work: () => Promise<T>): Promise<T>;
  context(definition: ContainerDefinition): FunctionContext;
}

export class Queries implements QueryTools {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly prepared: PreparedQueries = new PreparedQueries();
  readonly #environment: Environment;
  readonly #places = new Places(queriesAtOnceMax);

  constructor(environment: Environment) {
    this.#environment = environment;
    this.clock = environment.clock;
    this.turns = new Turns(environment.clock);
  }

  blocking<T>(work: () => Promise<T>): Promise<T> {
    return this.#places.with(work);
  }

  context({ geospatialConfig }: ContainerDefinition): FunctionContext {
    const { clock } = this;
    return {
      nowMs: () => clock.nowMs(),
      startMs: clock.nowMs(),
      random: () => this.#random(),
      geospatialType: geospatialConfig.type,
    };
  }

  #random(): number {
    const bytes = new Uint32Array(1);
    this.#environment.random(new Uint8Array(bytes.buffer));
    return (bytes[0] as number) / 2 ** 32;
  }
}
