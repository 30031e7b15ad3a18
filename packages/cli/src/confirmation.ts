// What cannot be taken back is done when somebody has typed its name, or has said --yes beforehand.

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { UsageError } from './usage-error.ts';

export interface Person {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** `what` will be gone: `the container shop/orders and all its documents`. Throws a UsageError where there is nobody to ask. */
export async function isConfirmed(name: string, what: string, { input, output }: Person): Promise<boolean> {
  if (input.isTTY !== true) throw new UsageError(`This removes ${what}: say so with --yes.`);
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  try {
    return await new Promise<boolean>((resolve) => {
      reader.on('line', (line) => resolve(line.trim() === name));
      // Ctrl-C and Ctrl-D are no names.
      reader.on('close', () => resolve(false));
      reader.setPrompt(`This removes ${what}. Type ${name} to go on: `);
      reader.prompt();
    });
  } finally {
    reader.close();
  }
}
