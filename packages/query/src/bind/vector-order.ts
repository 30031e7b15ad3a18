// ORDER BY VectorDistance: the most similar come first, so the direction follows from the measure (spec query 3.10).

import type { Place } from './binder.ts';
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

/** Where the query does not say how vectors are compared, the container's policy for their path does. */
export function withMeasure(call: Call, binder: Place['binder']): Call {
  if (!isVectorDistance(call) || binder.facts.vectors.length === 0) return call;
  const [first, second, isExact, options] = call.args;
  if (first === undefined || second === undefined) return call;
  const said = options?.kind === 'object' ? options.members : [];
  if (options !== undefined && options.kind !== 'object') return call;
  if (said.some(({ name }) => name === 'distanceFunction')) return call;
  const measure = measureOf(first, binder) ?? measureOf(second, binder);
  if (measure === undefined) return call;
  const value: BoundExpression = { kind: 'literal', value: measure };
  const members = [...said, { name: 'distanceFunction', value }];
  return {
    ...call,
    args: [first, second, isExact ?? { kind: 'literal', value: false }, { kind: 'object', members }],
  };
}

function measureOf(expression: BoundExpression, binder: Place['binder']): string | undefined {
  if (expression.kind !== 'path' || expression.slot !== binder.documentSlot) return undefined;
  const { steps } = expression;
  const embedding = binder.facts.vectors.find(
    (each) => each.steps.length === steps.length && each.steps.every((step, at) => step === steps[at]),
  );
  return embedding?.distanceFunction;
}
