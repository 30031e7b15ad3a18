// Writes the module of WebAssembly that packages/engine/src/log/checksum.wat is the text of: `npm run assemble:checksum`, after the text
// has been changed. A test fails when the two do not belong together.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const folder = fileURLToPath(new URL('../packages/engine/src/log/', import.meta.url));
const lineChars = 110;

const { parseWat } = await wabt();
const parsed = parseWat('checksum.wat', readFileSync(`${folder}checksum.wat`, 'utf8'), { simd: true });
const lines = Buffer.from(parsed.toBinary({}).buffer)
  .toString('base64')
  .match(new RegExp(`.{1,${lineChars}}`, 'g'));
writeFileSync(
  `${folder}checksum-module.ts`,
  `// The module that checksum.wat is the text of, in base64. \`npm run assemble:checksum\` writes this file.

export const moduleText: string = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`,
);
