// TOP, OFFSET and LIMIT of a block, once the parameters are known.

import type { BlockCounts } from '../bind/bound.ts';
import { countMax } from '../limits.ts';
import { queryError } from '../query-error.ts';
import type { Count } from '../syntax/tree.ts';
import type { Value } from '../value/value.ts';

export interface RowLimits {
  readonly offset: number;
  /** Infinite where there is no end. */
  readonly limit: number;
}

export interface Counts {
  readonly top: number | undefined;
  readonly offset: number | undefined;
  readonly limit: number | undefined;
}

export function rowLimits(
  block: BlockCounts,
  parameterPlaces: ReadonlyMap<string, number>,
  parameters: readonly Value[],
): RowLimits {
  const { top, offset, limit } = countsOf(block, parameterPlaces, parameters);
  return {
    offset: offset ?? 0,
    limit: Math.min(top ?? Number.POSITIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY),
  };
}

/** As they were written. Throws where a parameter is no count. */
export function countsOf(
  { top, offset, limit }: BlockCounts,
  parameterPlaces: ReadonlyMap<string, number>,
  parameters: readonly Value[],
): Counts {
  const countOf = (count: Count | undefined, code: string, message: string): number | undefined => {
    if (count === undefined) return undefined;
    const value = count.kind === 'number' ? count.value : parameters[parameterPlaces.get(count.name) ?? -1];
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= countMax) return value;
    throw queryError(code, message, count);
  };
  return {
    top: countOf(top, 'SC2060', 'The count value provided for a TOP clause must be an integer.'),
    offset: countOf(offset, 'SC2062', 'The OFFSET count value must be an integer.'),
    limit: countOf(limit, 'SC2061', 'The LIMIT count value must be an integer.'),
  };
}
