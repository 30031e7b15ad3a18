// What an import reads: a file, which can be gone on with anywhere, or standard input, whose beginning is read again.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Line, LinesStart } from './lines.ts';
import { linesOf, skipBytes } from './lines.ts';
import { ownCommand } from './own-command.ts';
import { quoted, say } from './terminal.ts';
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
  let isArray: boolean;
  try {
    const file = statSync(path);
    if (file.isDirectory()) throw new Error(`${path} is a folder`);
    sizeBytes = file.size;
    isArray = isArrayText(headOf(path, Math.min(headBytesMax, sizeBytes)));
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`); // The file system throws Errors.
  }
  if (isArray) throw arrayRefusal(`jq -c '.[]' ${quoted(path)} |`);
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
    lines: (start, stop) => linesOf(skipBytes(documentsOf(untilStopped(process.stdin, stop)), start.end), start),
  };
}

async function* documentsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isBegun = false;
  for await (const chunk of chunks) {
    if (!isBegun && isArrayText(chunk)) throw arrayRefusal("… | jq -c '.[]' |");
    isBegun ||= chunk.toString('latin1').trim() !== '';
    yield chunk;
  }
}

/** Line by line it would be refused with as many errors, but for the last document, which has no comma. */
function isArrayText(head: Buffer): boolean {
  return head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith('[');
}

function arrayRefusal(before: string): UsageError {
  const advice = `jq makes that of it: ${before} ${ownCommand(process.env)} import DATABASE/CONTAINER`;
  return new UsageError(`This is a JSON array; import takes a JSON object a line (JSONL). ${advice}`);
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
  return createHash('sha256').update(headOf(path, bytes)).digest('hex');
}

function headOf(path: string, bytes: number): Buffer {
  const head = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, bytes, 0);
  } finally {
    closeSync(file);
  }
  return head;
}
