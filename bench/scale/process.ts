// Starts a process on the folder, hears what it has to say, and kills it while its writes are in flight.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildMessage, Measured, Task, UpdatesMeasured } from './messages.ts';

/** As compiled, beside this file. */
const childPath: string = fileURLToPath(new URL('./child.js', import.meta.url));

export interface Life {
  readonly openMs: number;
  readonly openProcessorMs: number;
  /** The LSNs of all ranges together: what was there when it opened, and the last that it said it had acknowledged. */
  readonly tailAtOpen: number;
  readonly acknowledgedTail: number;
  readonly measured: Measured | undefined;
  readonly updated: UpdatesMeasured | undefined;
}

/** Its life ends with SIGKILL, `killAfterMs` after it has done its task, or when the signal says so. */
export function liveAndDie(
  task: Task,
  how: { readonly killAfterMs: number; readonly signal: AbortSignal; onProgress(text: string): void },
): Promise<Life> {
  return new Promise((resolve, reject) => {
    const child = fork(childPath, [JSON.stringify(task)]);
    const kill = (): boolean => child.kill('SIGKILL');
    how.signal.addEventListener('abort', kill);
    let opened: Extract<ChildMessage, { kind: 'opened' }> | undefined;
    let measured: Measured | undefined;
    let updated: UpdatesMeasured | undefined;
    let acknowledgedTail = 0;
    let isWriting = false;
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'opened') opened = message;
      if (message.kind === 'progress') how.onProgress(message.text);
      if (message.kind === 'measured') measured = message.measured;
      if (message.kind === 'updated') updated = message.updated;
      if (message.kind !== 'acknowledged') return;
      acknowledgedTail = message.tail;
      if (isWriting) return;
      isWriting = true;
      setTimeout(kill, how.killAfterMs);
    });
    child.on('exit', (code) => {
      how.signal.removeEventListener('abort', kill);
      // Who was killed before it could open has lost nothing.
      const { openMs, processorMs, tail } = opened ?? { openMs: Number.NaN, processorMs: Number.NaN, tail: Infinity };
      if (code !== null || (opened === undefined && !how.signal.aborted)) {
        reject(new Error(`A process that should have been killed ended by itself (${code}).`));
        return;
      }
      resolve({ openMs, openProcessorMs: processorMs, tailAtOpen: tail, acknowledgedTail, measured, updated });
    });
  });
}
