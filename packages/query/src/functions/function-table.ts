// All built-in functions, by name in any case; and the names that are known and not there yet.

import { arrayFunctions } from './array.ts';
import { conditionalFunctions } from './conditional.ts';
import { dateTimeFunctions } from './date-time.ts';
import { fullTextFunctions } from './full-text.ts';
import { integerFunctions } from './integer.ts';
import { mathematicalFunctions } from './mathematical.ts';
import type { QueryFunction } from './query-function.ts';
import { regexFunctions } from './regex.ts';
import type { Signature } from './signature.ts';
import { signatureOf } from './signature.ts';
import { spatialFunctions } from './spatial.ts';
import { stringFunctions } from './string.ts';
import { typeFunctions } from './type-checking.ts';
import { vectorFunctions } from './vector.ts';

/** A function with what it takes, in a form that can be checked. */
export interface KnownFunction {
  readonly definition: QueryFunction;
  readonly signature: Signature;
}

/** In the order of the reference. */
export const functionFamilies: readonly { readonly title: string; readonly functions: readonly QueryFunction[] }[] = [
  { title: 'Array', functions: arrayFunctions },
  { title: 'Conditional', functions: conditionalFunctions },
  { title: 'Date and time', functions: dateTimeFunctions },
  { title: 'Mathematical', functions: mathematicalFunctions },
  { title: 'Integer', functions: integerFunctions },
  { title: 'String', functions: [...stringFunctions, ...regexFunctions] },
  { title: 'Type checking', functions: typeFunctions },
  { title: 'Spatial', functions: spatialFunctions },
  { title: 'Full text', functions: fullTextFunctions },
  { title: 'Vector', functions: vectorFunctions },
];

export function findFunction(name: string): KnownFunction | undefined {
  return functions.get(name.toUpperCase());
}

/** What is missing, in a sentence; undefined for names that nobody knows. */
export function missingFunction(name: string): string | undefined {
  const isMissing = missingNames.has(name.toUpperCase());
  return isMissing ? `The function ${name} is not there yet.` : undefined;
}

const functions: ReadonlyMap<string, KnownFunction> = new Map(
  functionFamilies.flatMap(({ functions: family }) =>
    family.flatMap((definition) => {
      const known: KnownFunction = { definition, signature: signatureOf(definition.takes) };
      return [definition.name, ...(definition.aliases ?? [])].map((name) => [name.toUpperCase(), known] as const);
    }),
  ),
);

const missingNames: ReadonlySet<string> = new Set([
  'FULLTEXTSCORE',
  'RRF',
  '_FULLTEXTSCORE',
  '_FULLTEXTWORDCOUNT',
  'REGEXEXTRACT',
  'REGEXEXTRACTALL',
  'HASH',
]);
