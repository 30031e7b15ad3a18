// `tidemark import`: comes next.

import { UsageError } from '../usage-error.ts';

export async function run(): Promise<number> {
  throw new UsageError('tidemark import is not there yet.');
}
