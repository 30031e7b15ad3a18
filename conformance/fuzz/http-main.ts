// More streams of HTTP than `npm test` gives to both readers.

import { freshSeed, readCommandLine } from '@tidemark/testing';
import { fuzzHttp } from './http-fuzz.ts';

const asked = readCommandLine({
  usage: `Gives the same bytes to the reader of HTTP of this server and to that of Node: whatever the two understand differently fails.

  npm run fuzz:http -- [--streams 100000] [--seed TEXT] [--from 0]`,
  values: { streams: '100000', seed: String(freshSeed('streams')), from: '0' },
  numbers: ['streams', 'from'],
});
const seed = asked.text('seed') ?? '';
console.log(`seed ${seed}`);
const startedMs = performance.now();
const { failures, ...figures } = await fuzzHttp(seed, asked.number('streams'), {
  from: asked.number('from'),
  onProgress: (done) => console.log(`${done} streams`),
});
console.log(figures, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
