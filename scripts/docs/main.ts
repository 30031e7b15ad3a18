// `npm run docs`: writes the parts of the reference that are made from the code.

import { readFileSync, writeFileSync } from 'node:fs';
import { generatedParts } from './pages.ts';
import { withPart } from './table.ts';

for (const { page, name, make } of generatedParts) {
  const path = new URL(`../../${page}`, import.meta.url);
  const before = readFileSync(path, 'utf8');
  const after = withPart(before, name, make());
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`${page}: ${name} rewritten`);
}
