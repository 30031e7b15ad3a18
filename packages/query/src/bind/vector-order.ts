// ORDER BY VectorDistance: the most similar come first, so the direction follows from the measure (spec query 3.10).

import type { BoundExpression } from './bound.ts';

type Call = Extract<BoundExpression, { kind: 'call' }>;

export function isVectorDistance(expression: BoundExpression): expression is Call {
  return expression.kind === 'call' && expression.function.definition.name === 'VectorDistance';
}

/** A distance is small where a similarity is large. Undefined where the measure is known only with the parameters. */
export function isVectorDistanceDescending({ args }: Call): boolean | undefined {
  const options = args[3];
  if (options === undefined || options.kind === 'literal') return true;
  if (options.kind !== 'object') return undefined;
  const measure = options.members.findLast(({ name }) => name === 'distanceFunction')?.value;
  if (measure === undefined) return true;
  if (measure.kind !== 'literal') return undefined;
  return typeof measure.value !== 'string' || measure.value.toLowerCase() !== 'euclidean';
}
