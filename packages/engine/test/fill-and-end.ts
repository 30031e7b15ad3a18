// A process of its own that has nothing to do but to wait for the zeros of a large file, and then nothing at all.

import { nodeFiles } from '../src/files/node-files.ts';

const file = await nodeFiles(process.argv[2] as string).open('file', { create: true });
await file.preallocate(16 << 20);
await file.close();
console.log('filled');
