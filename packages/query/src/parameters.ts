// Values of parameters come from whoever asks. What looks at values goes down into them, so they may be as deep as documents and no deeper.

import { DatabaseError, documentDepthMax } from '@tidemark/model';
import type { Value } from './value/value.ts';

/** Throws bad-request for a value that nests too deep. Goes along the levels and not down into them, for it may be of any depth. */
export function checkParameter(name: string, value: Value): void {
  let level = containersIn([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > documentDepthMax) {
      const message = `The value of the parameter ${name} nests deeper than ${documentDepthMax} levels, which is more than a document may.`;
      throw new DatabaseError('bad-request', message);
    }
    level = level.flatMap((container) => containersIn(Array.isArray(container) ? container : Object.values(container)));
  }
}

function containersIn(values: readonly Value[]): readonly object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
