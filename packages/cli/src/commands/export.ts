// `tidemark export`: comes next.

import { UsageError } from '../usage-error.ts';

export async function run(): Promise<number> {
  throw new UsageError('tidemark export is not there yet.');
}
