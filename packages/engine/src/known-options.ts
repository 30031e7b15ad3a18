// Options by name, for callers without types: one that is misspelt would be left out without a word.

import { DatabaseError } from '@tidemark/model';

/** A record, so that none of the interface is forgotten. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

export function checkOptionNames<Options>(options: object, known: OptionNames<Options>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known).join(', ');
  throw new DatabaseError('bad-request', `There is no option "${unknown}"; there are ${names}.`);
}
