// What is said of an error at the end of a command, or at a prompt that goes on.

import { isDatabaseError } from '@tidemark/model';

/** `args` are those of the command line. */
export async function wordsOf(error: unknown, args: readonly string[]): Promise<string> {
  // Only now: whoever starts a server must not wait for all of the processor to be loaded.
  const { isProcessorError } = await import('@tidemark/processor');
  const { explainAnswer } = await import('./advice.ts');
  if (isProcessorError(error)) return error.message;
  if (isDatabaseError(error)) return explainAnswer(error, args, process.env);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
