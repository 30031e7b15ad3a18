// What an import reads: a file, which can be gone on with anywhere, or standard input, whose beginning is read again.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Line, LinesStart } from './lines.ts';
import { linesOf, skipBytes } from './lines.ts';
import { say } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const chunkBytes = 256 * 1024;
const headBytesMax = 64 * 1024;

export interface ImportSource {
  /** For people. */
  readonly name: string;
  /** Undefined where nobody knows. */
  readonly sizeBytes: number | undefined;
  /** Of the first bytes: whether a file is still the one that an import began with. */
  digest(bytes: number): string;
  /** Up to where it is stopped; what comes last may be a part of a line then. */
  lines(start: LinesStart, stop: AbortSignal): AsyncGenerator<Line>;
}

export const headBytes = (source: ImportSource): number => Math.min(headBytesMax, source.sizeBytes ?? 0);

export function fileSource(path: string): ImportSource {
  let sizeBytes: number;
  try {
    const file = statSync(path);
    if (file.isDirectory()) throw new Error(`${path} is a folder`);
    sizeBytes = file.size;
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`); // The file system throws Errors.
  }
  return {
    name: path,
    sizeBytes,
    digest: (bytes) => digestOf(path, bytes),
    lines: (start) => linesOf(createReadStream(path, { start: start.end, highWaterMark: chunkBytes }), start),
  };
}

export function inputSource(): ImportSource {
  if (process.stdin.isTTY === true) say('reading from the terminal, a document a line; Ctrl-D ends it.');
  return {
    name: 'standard input',
    sizeBytes: undefined,
    digest: () => '',
    lines: (start, stop) => linesOf(skipBytes(untilStopped(process.stdin, stop), start.end), start),
  };
}

/** Somebody who types, or a pipe, may send nothing for ever. */
async function* untilStopped(input: Readable, stop: AbortSignal): AsyncGenerator<Buffer> {
  const end = (): unknown => input.destroy();
  stop.addEventListener('abort', end, { once: true });
  try {
    yield* input;
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener('abort', end);
  }
}

function digestOf(path: string, bytes: number): string {
  const head = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, bytes, 0);
  } finally {
    closeSync(file);
  }
  return createHash('sha256').update(head).digest('hex');
}
