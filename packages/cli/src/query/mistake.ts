// What an account says is wrong with a query, with the place in the text that it is about.

import { isRestError } from '@tidemark/client';
import { DatabaseError } from '@tidemark/model';
import { cutTo, widthOf } from '../table/text-width.ts';
import { shown } from '../terminal.ts';
import type { PlacedMistake } from './hint.ts';
import { hintFor } from './hint.ts';

/** A query can be one line of half a megabyte, and not everything is a terminal. */
const widest = 160;

/** The same error, or one in words for the terminal. `widthMax` is that of the terminal. */
export function explainedMistake(error: unknown, text: string, widthMax: number): unknown {
  if (!isRestError(error) || error.status !== 400) return error;
  if (error.substatus === 1004) return new DatabaseError('not-supported', puzzle, { cause: error });
  const mistakes = mistakesIn(error.message);
  if (mistakes.length === 0) return error;
  const words = mistakes.map((mistake) => told(mistake, text, Math.min(widthMax, widest)));
  const hints = mistakes.map((mistake) => hintFor(mistake, text));
  // Several mistakes may come of one.
  const lines = words.flatMap((each, at) => {
    const hint = hints[at] ?? '';
    return hint === '' || hints.indexOf(hint) < at ? [each] : [each, shown(hint)];
  });
  return new DatabaseError('invalid-query', lines.join('\n'), { cause: error });
}

/** Wire: what a client has to put together from several ranges is refused where the account does not do it (wire 12). */
const puzzle =
  'This account sorts, groups and counts within one partition only: name it with --partition-key, or ask a Tidemark server.';

/** Wire: the sentence holds JSON, `{"errors":[…]}` or, of what fails while it runs, `{"Errors":["…"]}` (query 6). */
function mistakesIn(message: string): PlacedMistake[] {
  const json = message.slice(message.indexOf('{'), message.lastIndexOf('}') + 1);
  let found: Readonly<Record<string, unknown>>;
  try {
    found = Object(JSON.parse(json));
  } catch {
    // A sentence and nothing else.
    return [];
  }
  const { errors = found['Errors'] } = found;
  return Array.isArray(errors) ? errors.map((each) => mistakeOf(each)) : [];
}

function mistakeOf(error: unknown): PlacedMistake {
  if (typeof error === 'string') return { code: undefined, message: error, location: undefined };
  const { message, code, location }: Record<string, unknown> = Object(error);
  const { start, end }: Record<string, unknown> = Object(location);
  const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return {
    code: code === undefined ? undefined : String(code),
    message: String(message),
    // Both were just looked at. In UTF-16 units, the end not included.
    location: isPlace ? { start: start as number, end: end as number } : undefined,
  };
}

function told({ code, message, location }: PlacedMistake, text: string, widthMax: number): string {
  const sentence = shown(`${message}${code === undefined ? '' : ` (${code})`}`);
  if (location === undefined || location.start < 0 || location.start > text.length) return sentence;
  const start = location.start;
  const before = text.slice(0, start).split('\n');
  const lineStart = start - (before.at(-1)?.length ?? 0);
  const [line = ''] = text.slice(lineStart).split('\n', 1);
  const lines = text.split('\n').length;
  const where = lines === 1 ? '' : `line ${before.length}: `;
  const length = Math.min(Math.max(1, location.end - start), Math.max(1, lineStart + line.length - start));
  const [shownLine, column, carets] = cutAround(line, start - lineStart, length, Math.max(20, widthMax - 2));
  return `${where}${sentence}\n  ${shownLine}\n  ${' '.repeat(column)}${'^'.repeat(carets)}`;
}

/** Of a line that is too long, what is around the place: enough before it to know where it is. */
function cutAround(line: string, at: number, length: number, widthMax: number): [string, number, number] {
  const head = clean(line.slice(0, at));
  const place = clean(line.slice(at, at + length));
  const headMax = Math.floor(widthMax / 2);
  const isFar = widthOf(head) > headMax && widthOf(clean(line)) > widthMax;
  const begin = isFar ? `…${lastOf(head, headMax - 1)}` : head;
  const column = widthOf(begin);
  const shownLine = cutTo(`${begin}${place}${clean(line.slice(at + length))}`, widthMax);
  return [shownLine, column, Math.max(1, Math.min(widthOf(place), widthMax - column))];
}

function clean(text: string): string {
  return shown(text.replaceAll('\t', ' ').replace(/\r$/, ''));
}

function lastOf(text: string, widthMax: number): string {
  let letters = [...text];
  while (widthOf(letters.join('')) > widthMax) letters = letters.slice(Math.max(1, letters.length - widthMax));
  return letters.join('');
}
