// What a function takes. A signature is text, so that a table of functions reads like the reference it becomes:
//
//   'string, string, boolean?'   the last one may be left out
//   'array, array...'            the last one may be repeated
//   'any'                        whatever is defined
//   'maybe'                      also undefined
//
// An argument of another type, and undefined where the signature does not say `maybe`, make the call undefined (spec query 3).

import { assert } from '@tidemark/model';
import type { Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';

export type ArgumentType = 'any' | 'maybe' | 'number' | 'integer' | 'string' | 'boolean' | 'array' | 'object';

export interface Signature {
  readonly argsMin: number;
  readonly argsMax: number;
  /** The type of each; beyond the end that of the last. */
  readonly types: readonly ArgumentType[];
}

export function signatureOf(text: string): Signature {
  if (text === '') return { argsMin: 0, argsMax: 0, types: [] };
  const words = text.split(', ');
  const types = words.map((word) => typeOf(word.replace(/\?$|\.\.\.$/, '')));
  const argsMin = words.filter((word) => !word.endsWith('?')).length;
  return { argsMin, argsMax: text.endsWith('...') ? Number.POSITIVE_INFINITY : words.length, types };
}

export function typeAt(signature: Signature, place: number): ArgumentType {
  const type = signature.types[Math.min(place, signature.types.length - 1)];
  assert(type !== undefined, 'A function was given more arguments than it has.');
  return type;
}

export function isOfType(value: Value, type: ArgumentType): boolean {
  switch (type) {
    case 'maybe':
      return true;
    case 'any':
      return value !== undefined;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

const types: readonly string[] = [
  'any',
  'maybe',
  'number',
  'integer',
  'string',
  'boolean',
  'array',
  'object',
] satisfies ArgumentType[];

function typeOf(word: string): ArgumentType {
  assert(types.includes(word), `A signature has the unknown type ${word}.`);
  // It is in the list of them.
  return word as ArgumentType;
}
