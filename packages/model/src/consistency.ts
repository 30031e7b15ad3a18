// The levels of consistency, which an account has one of and a request may weaken.

export type ConsistencyLevel = 'Strong' | 'BoundedStaleness' | 'Session' | 'ConsistentPrefix' | 'Eventual';

/** From the strongest to the weakest. */
export const consistencyLevels: readonly ConsistencyLevel[] = Object.freeze([
  'Strong',
  'BoundedStaleness',
  'Session',
  'ConsistentPrefix',
  'Eventual',
]);

/** Clients differ in case. Undefined for what is no level. */
export function parseConsistencyLevel(text: string): ConsistencyLevel | undefined {
  return consistencyLevels.find((level) => level.toLowerCase() === text.toLowerCase());
}
