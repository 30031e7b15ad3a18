// What the server says of itself.

import { rawFetch } from '../../conformance/harness.ts';

/** Name, with its labels as they are written, → value. */
export async function readMetrics(url: string): Promise<ReadonlyMap<string, number>> {
  const path = '/_tidemark/metrics';
  const { text } = await rawFetch(url, 'GET', path, { sign: { type: '', link: path.slice(1) } });
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** Asks again until it holds: the server says when, not a clock. */
export async function untilMetric(url: string, name: string, holds: (value: number) => boolean): Promise<void> {
  while (!holds((await readMetrics(url)).get(name) ?? 0));
}
