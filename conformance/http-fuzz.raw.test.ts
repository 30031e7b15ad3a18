import { freshSeed } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { fuzzHttp } from './fuzz/http-fuzz.ts';

const streams = 2_500;

test.each([
  ['always the same', 'tide'],
  ['drawn from the commit', freshSeed('http')],
])(
  '[SEC15] thousands of hostile streams of HTTP, %s, are understood as node:http understands them, or refused (seed %s)',
  async (_which, seed) => {
    const report = await fuzzHttp(seed, streams);

    expect(report.failures).toEqual([]);
    // Streams that are all refused, or all in order, would prove little.
    expect(report.understood).toBeGreaterThan(streams / 2);
    expect(report.refused).toBeGreaterThan(streams / 10);
  },
);
