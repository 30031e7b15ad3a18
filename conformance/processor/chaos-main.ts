// `npm run chaos:processor -- [seed] [steps]`: a long run by hand; the test has a short one.

import { Chaos } from './chaos.ts';

const [seed = 1, steps = 100] = process.argv.slice(2).map(Number);
let n = 0;
const outcome = await Chaos.run(seed, steps, (step) => {
  n += 1;
  process.stderr.write(`${n}/${steps} ${step}\n`);
});
console.log(JSON.stringify({ seed, ...outcome }));
const isClean = outcome.lost.length === 0 && outcome.disordered.length === 0 && outcome.owned === 0 && outcome.isTiled;
process.exitCode = isClean ? 0 : 1;
