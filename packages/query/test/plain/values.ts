// Values as the specification has them (query 2), written down a second time.

import { unreachable } from '@tidemark/model';
import type { Value } from '../../src/value/value.ts';

type Members = Readonly<Record<string, Value>>;

/** In the order of types. */
function rankOf(value: Value): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (typeof value === 'boolean') return value ? 3 : 2;
  if (typeof value === 'number') return 4;
  if (typeof value === 'string') return 5;
  return Array.isArray(value) ? 6 : 7;
}

export function elementsOf(value: Value): readonly Value[] | undefined {
  return Array.isArray(value) ? (value as readonly Value[]) : undefined;
}

export function membersOf(value: Value): Members | undefined {
  return rankOf(value) === 7 ? (value as Members) : undefined;
}

/** `of.name`, `of[place]`. */
export function partOf(of: Value, step: Value): Value {
  if (typeof step === 'number') return elementsOf(of)?.[step];
  if (typeof step !== 'string') return undefined;
  const members = membersOf(of);
  return members !== undefined && Object.hasOwn(members, step) ? members[step] : undefined;
}

/** Of one name the last counts, also where that is undefined. */
export function objectFrom(pairs: readonly (readonly [string, Value])[]): Value {
  const defined = [...new Map(pairs)].filter(([, value]) => value !== undefined);
  // Object.fromEntries defines its members, so that __proto__ is a name like any other.
  return Object.fromEntries(defined);
}

/** Total: NaN before all other numbers, strings by code point. */
export function order(a: Value, b: Value): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return Math.sign(ranks);
  switch (rankOf(a)) {
    case 4:
      return orderOfNumbers(a as number, b as number);
    case 5:
      return orderOfLists(codePoints(a as string), codePoints(b as string), orderOfNumbers);
    case 6:
      return orderOfLists(a as readonly Value[], b as readonly Value[], order);
    case 7:
      return orderOfLists(
        sortedMembers(a as Members),
        sortedMembers(b as Members),
        (one, other) => order(one[0], other[0]) || order(one[1], other[1]),
      );
    default:
      return 0;
  }
}

function orderOfNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a < b ? -1 : a > b ? 1 : 0;
}

function orderOfLists<T>(a: readonly T[], b: readonly T[], orderOf: (one: T, other: T) => number): number {
  for (const [at, one] of a.entries()) {
    if (at >= b.length) return 1;
    const found = orderOf(one, b[at] as T);
    if (found !== 0) return found;
  }
  return a.length < b.length ? -1 : 0;
}

function codePoints(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) as number);
}

function sortedMembers(members: Members): readonly (readonly [string, Value])[] {
  return Object.entries(members).sort(([a], [b]) => order(a, b));
}

/** As `=` has it: NaN is not itself. */
export function equal(a: Value, b: Value): boolean {
  return order(a, b) === 0 && !hasNaN(a);
}

function hasNaN(value: Value): boolean {
  const parts = elementsOf(value) ?? Object.values(membersOf(value) ?? {});
  return Number.isNaN(value) || parts.some(hasNaN);
}

export function compare(operator: '=' | '!=' | '<' | '<=' | '>' | '>=', a: Value, b: Value): Value {
  if (a === undefined || b === undefined) return undefined;
  if (operator === '=') return equal(a, b);
  if (operator === '!=') return !equal(a, b);
  const isOrdered = typeof a === typeof b && (typeof a !== 'object' || (a === null && b === null));
  if (!isOrdered) return undefined;
  if (Number.isNaN(a) || Number.isNaN(b)) return false;
  switch (operator) {
    case '<':
      return order(a, b) < 0;
    case '<=':
      return order(a, b) <= 0;
    case '>':
      return order(a, b) > 0;
    case '>=':
      return order(a, b) >= 0;
    default:
      return unreachable(operator);
  }
}

export function and(a: Value, b: Value): Value {
  if (a === false || b === false) return false;
  return a === true && b === true ? true : undefined;
}

export function or(a: Value, b: Value): Value {
  if (a === true || b === true) return true;
  return a === false && b === false ? false : undefined;
}

export function not(a: Value): Value {
  return typeof a === 'boolean' ? !a : undefined;
}

/** Each value that no earlier one equals; here NaN is itself. */
export function distinct(values: readonly Value[]): readonly Value[] {
  return values.filter((value, at) => !values.slice(0, at).some((earlier) => order(earlier, value) === 0));
}

/** `LIKE`, by trying everything. */
export function like(text: string, pattern: string, escaping: string | undefined): boolean {
  if (pattern === '') return text === '';
  const first = pattern.charAt(0);
  const rest = pattern.slice(1);
  if (first === escaping && rest !== '') return text[0] === rest[0] && like(text.slice(1), rest.slice(1), escaping);
  if (first === '%') return like(text, rest, escaping) || (text !== '' && like(text.slice(1), pattern, escaping));
  if (text === '') return false;
  const set = /^\[(?:\^([^\]]+)|([^^\]][^\]]*))\]/.exec(pattern);
  if (set !== null) {
    const isIn = inSet(text.charCodeAt(0), (set[1] ?? set[2]) as string);
    return isIn === (set[1] === undefined) && like(text.slice(1), pattern.slice(set[0].length), escaping);
  }
  return (first === '_' || first === text[0]) && like(text.slice(1), rest, escaping);
}

function inSet(code: number, set: string): boolean {
  if (set === '') return false;
  if (set[1] === '-' && set.length > 2) {
    return (set.charCodeAt(0) <= code && code <= set.charCodeAt(2)) || inSet(code, set.slice(3));
  }
  return set.charCodeAt(0) === code || inSet(code, set.slice(1));
}
