// Programs that tests start as processes of their own: the command line as it is built, and those of the tests, which
// `tsconfig.programs.json` lists. Translating sources at every start would cost more than most of them do.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The command `tidemark`. */
export const commandLine: string = fileURLToPath(new URL('../../cli/bin/tidemark.cjs', import.meta.url));

/** What has become of a source that is listed there. */
export function programOf(source: URL): string {
  const built = relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js');
  return `${root}node_modules/.cache/tidemark/programs/${built}`;
}
