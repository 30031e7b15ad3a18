// A process that runs histories, one after the other, as it is asked to.

import { runHistory } from './histories.ts';
import type { ModelRunOptions } from './run.ts';

process.on('message', async (options: ModelRunOptions) => {
  process.send?.(await runHistory(options));
});
process.on('disconnect', () => process.exit());
