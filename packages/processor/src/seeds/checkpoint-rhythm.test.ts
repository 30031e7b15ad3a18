import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { BatchContext } from '../observer.ts';
import { CheckpointRhythm } from './checkpoint-rhythm.ts';

test('[I11] what is counted of a range is forgotten when the range is closed', async () => {
  const checkpointFrequency = { processedDocumentCount: 10, timeInterval: 60_000 };
  const rhythm = new CheckpointRhythm({ checkpointFrequency }, { clock: new VirtualClock() });
  let checkpoints = 0;
  const checkpoint = async (): Promise<void> => {
    checkpoints += 1;
  };
  const context = (epoch: number) => ({ leaseToken: '0', epoch, checkpoint }) as unknown as BatchContext; // The rest is not asked for.

  for (let epoch = 1; epoch <= 100; epoch += 1) {
    await rhythm.afterBatch(context(epoch), 7);
    await rhythm.afterBatch(context(epoch), 7);
    rhythm.closed(context(epoch));
  }

  expect(checkpoints).toBe(100);
  expect(rhythm.size).toBe(0);
});
