// Writes the modules of WebAssembly that the .wat files of packages/engine/src are the text of: `npm run assemble`, after a text has been
// changed. Tests fail when the two do not belong together.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const folder = fileURLToPath(new URL('../packages/engine/src/', import.meta.url));
const lineChars = 110;

const { parseWat } = await wabt();
for (const name of ['log/checksum', 'write/object-scan']) {
  const text = `${basename(name)}.wat`;
  const parsed = parseWat(text, readFileSync(`${folder}${name}.wat`, 'utf8'), { simd: true });
  const lines = Buffer.from(parsed.toBinary({}).buffer)
    .toString('base64')
    .match(new RegExp(`.{1,${lineChars}}`, 'g'));
  writeFileSync(
    `${folder}${name}-module.ts`,
    `// The module that ${text} is the text of, in base64. \`npm run assemble\` writes this file.

export const moduleText: string = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`,
  );
}
