// Aggregates (spec query 2.6). What is undefined is passed over by all of them.

import { jsonTypeRank } from '@tidemark/model';
import type { Memory } from './memory.ts';
import { compareValues } from './order.ts';
import type { Value } from './value.ts';
import { ValueSet } from './value-set.ts';
import { checkSize, sizeOf } from './value-size.ts';

export type AggregateKind = 'AVG' | 'COUNT' | 'COUNTIF' | 'MAKELIST' | 'MAKESET' | 'MAX' | 'MIN' | 'SUM';

export interface Aggregate {
  add(value: Value): void;
  readonly result: Value;
}

export function newAggregate(kind: AggregateKind, memory: Memory): Aggregate {
  switch (kind) {
    case 'COUNT':
      return new Count((value) => value !== undefined);
    case 'COUNTIF':
      return new Count((value) => value === true);
    case 'SUM':
      return new Sum();
    case 'AVG':
      return new Average();
    case 'MIN':
      return new Extreme(-1, memory);
    case 'MAX':
      return new Extreme(1, memory);
    case 'MAKELIST':
      return new List(memory);
    case 'MAKESET':
      return new DistinctList(memory);
  }
}

class Count implements Aggregate {
  readonly #counts: (value: Value) => boolean;
  #count = 0;

  constructor(counts: (value: Value) => boolean) {
    this.#counts = counts;
  }

  add(value: Value): void {
    if (this.#counts(value)) this.#count += 1;
  }

  get result(): Value {
    return this.#count;
  }
}

/** Undefined as soon as there is anything but numbers. */
class Sum implements Aggregate {
  #sum: number | undefined = 0;

  add(value: Value): void {
    if (value === undefined || this.#sum === undefined) return;
    this.#sum = typeof value === 'number' ? this.#sum + value : undefined;
  }

  get result(): Value {
    return this.#sum;
  }
}

class Average implements Aggregate {
  readonly #sum = new Sum();
  #count = 0;

  add(value: Value): void {
    if (value === undefined) return;
    this.#sum.add(value);
    this.#count += 1;
  }

  get result(): Value {
    const { result } = this.#sum;
    return typeof result === 'number' && this.#count > 0 ? result / this.#count : undefined;
  }
}

/** By the order of types; undefined as soon as there is an array or object. */
class Extreme implements Aggregate {
  readonly #direction: 1 | -1;
  readonly #memory: Memory;
  #extreme: Value;
  #isVoid = false;

  constructor(direction: 1 | -1, memory: Memory) {
    this.#direction = direction;
    this.#memory = memory;
  }

  add(value: Value): void {
    if (value === undefined) return;
    if (jsonTypeRank(value) >= arrayRank) this.#isVoid = true;
    else if (this.#extreme === undefined || compareValues(value, this.#extreme) * this.#direction > 0) {
      if (this.#extreme !== undefined) this.#memory.give(sizeOf(this.#extreme));
      this.#memory.take(sizeOf(value));
      this.#extreme = value;
    }
  }

  get result(): Value {
    return this.#isVoid ? undefined : this.#extreme;
  }
}

class List implements Aggregate {
  readonly #memory: Memory;
  readonly #values: Value[] = [];
  #size = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  add(value: Value): void {
    if (value === undefined) return;
    const size = sizeOf(value);
    this.#size += size;
    checkSize(this.#size);
    this.#memory.take(size);
    this.#values.push(value);
  }

  get result(): Value {
    return this.#values;
  }
}

class DistinctList implements Aggregate {
  readonly #memory: Memory;
  readonly #values = new ValueSet();
  #size = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  add(value: Value): void {
    if (!this.#values.add(value)) return;
    const size = sizeOf(value);
    this.#size += size;
    checkSize(this.#size);
    this.#memory.take(size);
  }

  get result(): Value {
    return [...this.#values];
  }
}

const arrayRank: number = jsonTypeRank([]);
