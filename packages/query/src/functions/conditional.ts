// The choice between two values (spec query 3.3). CHOOSE is with the functions on arrays, as in the service's reference; the
// operators `??` and `?:` are no functions.

import type { QueryFunction } from './query-function.ts';

export const conditionalFunctions: readonly QueryFunction[] = [
  {
    name: 'IIF',
    takes: 'maybe, maybe, maybe',
    meaning: 'The second value when the first is true, and else the third. Only true counts: 1 and "true" are not.',
    example: ["IIF(1 < 2, 'less', 'more')", '"less"'],
    call: ([condition, whenTrue, otherwise]) => (condition === true ? whenTrue : otherwise),
  },
];
