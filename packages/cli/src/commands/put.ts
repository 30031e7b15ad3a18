// `tidemark put`: a document, or a few of them, from a file or from standard input. `import` is for many.

import { createReadStream } from 'node:fs';
import type { DocumentAnswer } from '@tidemark/client';
import { onOneLine } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import type { OpenContainer } from '../document-lookup.ts';
import { keyOf, keyText, openContainer } from '../document-lookup.ts';
import { inputText } from '../input-text.ts';
import { putBytesMax } from '../limits.ts';
import { count, counted, print, shown } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

interface Written {
  readonly document: Buffer;
  readonly answer: DocumentAnswer;
}

export async function run(call: Call): Promise<number> {
  const [name = '', path = '-'] = call.arguments;
  const ifMatch = textOption(call, 'ifMatch');
  if (ifMatch !== undefined && isOn(call, 'create')) {
    throw new UsageError('Give --create or --if-match, not both: what is new has no etag yet.');
  }
  const opened = await openContainer(call, name);
  const documents = documentsIn(await textOf(path));
  if (ifMatch !== undefined && documents.length !== 1) {
    throw new UsageError(`--if-match is about one document; here are ${count(documents.length)}.`);
  }
  const written: Written[] = [];
  for (const document of documents) {
    written.push({
      document,
      answer: await write(call, opened, document, ifMatch).catch((error) => fail(error, written)),
    });
  }
  await tell(call, opened, written);
  return 0;
}

async function textOf(path: string): Promise<string> {
  if (path === '-') return inputText(process.stdin, putBytesMax, 'What put takes');
  try {
    return await inputText(createReadStream(path), putBytesMax, 'What put takes');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`); // The file system throws Errors.
  }
}

/** All of them are looked at before the first is written. */
function documentsIn(text: string): Buffer[] {
  const plain = text.replace(/^\ufeff/, '').trim();
  if (plain === '') throw new UsageError('There is no document: one JSON object, or one a line.');
  const { value: whole, trouble: wholeTrouble } = parsed(plain);
  if (Array.isArray(whole))
    throw new UsageError("This is a JSON array; put takes a JSON object a line: jq -c '.[]' makes that.");
  if (isObject(whole)) return [Buffer.from(plain)];
  if (/^\{[^\n]*[^}\s][^\S\n]*\n|^\{\s*\n/.test(plain)) {
    throw new UsageError(`This is no JSON object${wholeTrouble}: put takes one JSON object, or one a line.`);
  }
  return plain
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      const { value, trouble } = parsed(line);
      if (isObject(value)) return Buffer.from(line);
      throw new UsageError(`Line ${number} is no JSON object${trouble}: put takes one JSON object, or one a line.`);
    });
}

interface Parsed {
  readonly value: unknown;
  /** What is wrong and where, in parentheses; empty where it is JSON. */
  readonly trouble: string;
}

function parsed(text: string): Parsed {
  try {
    return { value: JSON.parse(text), trouble: '' };
  } catch (error) {
    return { value: undefined, trouble: ` (${shown((error as Error).message)})` }; // A SyntaxError.
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function write(
  call: Call,
  { inside, definition }: OpenContainer,
  document: Buffer,
  ifMatch: string | undefined,
): Promise<DocumentAnswer> {
  const key = keyOf(document, definition);
  if (isOn(call, 'create')) return inside.createDocument(key, document);
  if (ifMatch === undefined) return inside.upsertDocument(key, document);
  const { id } = JSON.parse(document.toString('utf8'));
  // A shell takes the quotes away that are part of an etag.
  const etag = ifMatch.startsWith('"') || ifMatch === '*' ? ifMatch : `"${ifMatch}"`;
  return inside.replaceDocument(key, String(id), document, { ifMatch: etag });
}

function fail(error: unknown, written: readonly Written[]): never {
  if (!isDatabaseError(error) || written.length === 0) throw error;
  const before = `${counted(written.length, 'documents')} before it ${written.length === 1 ? 'was' : 'were'} written.`;
  throw new DatabaseError(error.code, `${shown(error.message)} ${before}`, { cause: error });
}

async function tell(call: Call, { definition }: OpenContainer, written: readonly Written[]): Promise<void> {
  if (isOn(call, 'json')) {
    await print(Buffer.concat(written.flatMap(({ answer }) => [onOneLine(answer.bytes), lineFeed])));
    return;
  }
  const created = written.filter(({ answer }) => answer.isNew).length;
  const [only] = written;
  if (only !== undefined && written.length === 1) {
    const { id } = JSON.parse(only.document.toString('utf8'));
    const word = only.answer.isNew ? 'created' : 'replaced';
    const key = keyText(keyOf(only.document, definition));
    await print(`${word}  ${shown(JSON.stringify(id))}  ${key}  etag ${only.answer.etag}\n`);
    return;
  }
  const sum = `${counted(written.length, 'documents')} written`;
  await print(`${sum} (${count(created)} new, ${count(written.length - created)} replaced)\n`);
}

const lineFeed: Buffer = Buffer.from('\n');
