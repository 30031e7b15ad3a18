// Before the tests: what they start as processes is started as built, and what is built is what the sources say.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  // `npm test` and `npm run proof` have built before they start the test runner, perhaps several of them at once.
  if (process.env['TESTS_ARE_BUILT'] === 'yes') return;
  const script = fileURLToPath(new URL('./prepare.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script, '--programs'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the packages could not be built');
}
