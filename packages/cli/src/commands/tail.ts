// `tidemark tail`: comes next.

import { UsageError } from '../usage-error.ts';

export async function run(): Promise<number> {
  throw new UsageError('tidemark tail is not there yet.');
}
