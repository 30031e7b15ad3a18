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
  let head: Buffer;
  try {
    const file = statSync(path);
    if (file.isDirectory()) throw new Error(`${path} is a folder`);
    sizeBytes = file.size;
    head = headOf(path, Math.min(headBytesMax, sizeBytes));
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`); // The file system throws Errors.
  }
  checkHead(head, (filter) => `${filter} ${quoted(path)}`);
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
    if (!isBegun) checkHead(chunk, (filter) => `… | ${filter}`);
    isBegun ||= chunk.toString('latin1').trim() !== '';
    yield chunk;
  }
}

/** Line by line all of it would be refused, with as many errors, but for the last document of an array, which has no comma. */
function checkHead(head: Buffer, commandWith: (filter: string) => string): void {
  const kind = otherKinds.find(({ begins }) => begins.test(head.toString('latin1')));
  if (kind === undefined) return;
  const { name, filter } = kind;
  const [tool] = filter.split(' ');
  const command = `${commandWith(filter)} | ${ownCommand(process.env)} import DATABASE/CONTAINER`;
  throw new UsageError(
    `This is ${name}; import takes a JSON object a line (JSONL). ${tool} makes that of it: ${command}`,
  );
}

interface OtherKind {
  readonly name: string;
  /** Of the bytes as Latin-1, where a byte order mark is these three letters. */
  readonly begins: RegExp;
  /** What makes lines of it. */
  readonly filter: string;
}

const otherKinds: readonly OtherKind[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: one of them is what such a file begins with.
  { name: 'a gzip file', begins: /^\x1f\x8b/, filter: 'gunzip -c' },
  { name: 'a JSON array', begins: /^(?:\xef\xbb\xbf)?\s*\[/, filter: "jq -c '.[]'" },
  { name: 'JSON over several lines', begins: /^(?:\xef\xbb\xbf)?\s*\{[ \t\r]*\n/, filter: 'jq -c .' },
];

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
