// The order of JSON values that ORDER BY, MIN, MAX and every index agree on (wire 12):
//
//   undefined < null < false < true < number < string < array < object
//
// Strings compare by code point, not by UTF-16 unit as `<` does: that is the order of their UTF-8 bytes, so the encoding in
// json-key.ts agrees. A lone surrogate counts as its own code point. Arrays compare element by element, then by length.
// Objects compare as the sequence of their properties sorted by name: first difference in name, then in value, then the
// one with fewer properties. Only own enumerable properties count, and one that holds undefined is absent, as in JSON.
// -0 equals 0. NaN and infinities are no JSON values and must not be passed.

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Rank of the type of a JSON value; equal ranks are compared by value. */
export function jsonTypeRank(value: unknown): number {
  switch (typeof value) {
    case 'undefined':
      return 0;
    case 'boolean':
      return value ? 3 : 2;
    case 'number':
      return 4;
    case 'string':
      return 5;
    default:
      if (value === null) return 1;
      return Array.isArray(value) ? 6 : 7;
  }
}

/** Negative, zero or positive, for a before, same as, after b. Total over JSON values. */
export function compareJson(a: unknown, b: unknown): number {
  const rank = jsonTypeRank(a);
  const difference = rank - jsonTypeRank(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case 4:
      return compareNumbers(a as number, b as number);
    case 5:
      return compareCodePoints(a as string, b as string);
    case 6:
      return compareArrays(a as readonly unknown[], b as readonly unknown[]);
    case 7:
      return compareObjects(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
    default:
      return 0;
  }
}

const stretch = 256;

/** Order of strings by code point. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  const first = Math.min(length, stretch);
  while (at < first && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // Those that begin alike are long as a rule, and whole stretches are compared many times as fast as units.
  if (at === stretch) {
    while (at + stretch <= length && a.substring(at, at + stretch) === b.substring(at, at + stretch)) at += stretch;
    while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  }
  if (at === length) return a.length - b.length;
  // A difference in the second half of a pair is a difference of the whole code point.
  if (at > 0 && isHighSurrogate(a.charCodeAt(at - 1))) {
    if (isLowSurrogate(a.charCodeAt(at)) || isLowSurrogate(b.charCodeAt(at))) at -= 1;
  }
  return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
}

/** Names of the properties that count, in the order in which they are compared and encoded. */
export function orderedPropertyNames(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort(compareCodePoints);
}

function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function compareArrays(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const difference = compareJson(a[index], b[index]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareObjects(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const namesA = orderedPropertyNames(a);
  const namesB = orderedPropertyNames(b);
  for (const [index, nameA] of namesA.entries()) {
    const nameB = namesB[index];
    if (nameB === undefined) return 1;
    const difference = compareCodePoints(nameA, nameB) || compareJson(a[nameA], b[nameB]);
    if (difference !== 0) return difference;
  }
  return namesA.length - namesB.length;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
