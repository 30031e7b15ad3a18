// A process that runs pieces of a campaign, one after the other, as it is asked to.

import { inspect } from 'node:util';
import type { PieceRequest, WorkerAnswer } from './campaign.ts';
import { runPiece } from './campaign.ts';

process.on('message', async (request: PieceRequest) => {
  const answer = await runPiece(request).then(
    (report): WorkerAnswer => ({ report }),
    (error: unknown): WorkerAnswer => ({ broken: inspect(error) }),
  );
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
