// The same bytes to our reader of HTTP and to that of Node. `npm run fuzz:http -- --streams N` gives them as many as one likes.

import { freshSeed, isLong, sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { fuzzHttp } from './fuzz/http-fuzz.ts';

test('[SEC16] hostile streams of HTTP are understood as node:http understands them, or refused', async () => {
  await expectAgreement('tide', sizeOf('streams'));
});

test.runIf(isLong)('hostile streams that are drawn anew with every commit are so, too', async () => {
  await expectAgreement(freshSeed('streams'), sizeOf('freshStreams'));
});

async function expectAgreement(seed: number | string, streams: number): Promise<void> {
  const report = await fuzzHttp(seed, streams);

  expect(report.failures, `npm run fuzz:http -- --seed ${seed} --streams ${streams}`).toEqual([]);
  // Streams that are all refused, or all in order, would prove little.
  expect(report.understood).toBeGreaterThan(streams / 2);
  expect(report.refused).toBeGreaterThan(streams / 10);
}
