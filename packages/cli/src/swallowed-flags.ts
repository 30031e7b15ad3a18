// Flags that npm took for its own because they stood before `--`. It hands them on as variables and says little about it; the
// command would run as if they had not been there.

import { UsageError } from './usage-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting of npm itself, for which it sets the variable on its own. */
const ofNpm: readonly string[] = ['--key'];

/** `flags` as commander reads them: `--port <N>`. */
export function checkSwallowedFlags(environment: Environment, flags: readonly string[]): void {
  const script = environment['npm_lifecycle_event'];
  if (script !== 'start' && script !== 'tidemark') return;
  for (const each of flags) {
    const [flag = '', argument] = each.split(' ');
    const kept = environment[`npm_config_${flag.slice(2).replaceAll('-', '_')}`];
    if (ofNpm.includes(flag) || kept === undefined || kept === '') continue;
    const written = argument === undefined ? flag : `${flag} ${kept === 'true' ? '…' : kept}`;
    const command = script === 'start' ? 'npm start' : `npm run ${script}`;
    throw new UsageError(`npm kept ${flag} to itself: flags stand after --, as in ${command} -- ${written}`);
  }
}
