// Random documents as the engine stores them: JSON with white space, escapes and numbers as clients write them, system members, and
// `_lsn` at the end, which is none of the document. Values come from small pools, so that queries find something.

import { Buffer } from 'node:buffer';
import { documentRid } from '@tidemark/model';
import type { Value } from '../src/value/value.ts';
import type { StoredBytes } from './all-pages.ts';
import type { Draw } from './draw.ts';
import { inPercent, listOf, oneOf } from './draw.ts';

export interface RandomDocument extends StoredBytes {
  readonly value: Value;
}

export const numberTexts: readonly string[] = [
  ...['1', '0', '2', '3', '-1', '1.0', '-0', '0.5', '1e2', '10', '2147483648', '-2147483649', '9007199254740993'],
  ...['12345678901234567890', '1E+21', '5e-324', '1.7976931348623157e308', '123456789012345', '-0.0'],
];

export const strings: readonly string[] = [
  ...[
    'a',
    '',
    'b',
    'ab',
    'A',
    'abc',
    ' a ',
    'é',
    '𝄞',
    '\ud834',
    '\udd1e',
    '\ue000',
    'a_b',
    '%',
    '"',
    '\\',
    '\u0000',
    '/',
  ],
  ...['1', 'true', 'null', '[1]', '{"a":1}', '2020-01-02', '2020-01-02T03:04:05.6789Z', 'a,b,ab', 'x'.repeat(70)],
];

export const oddNames: readonly string[] = [
  '10',
  'c d',
  '',
  '__proto__',
  'é',
  '𝄞',
  '\ud800',
  '\ufffd',
  'x"y',
  'order',
  'length',
];

export function randomDocuments(draw: Draw): readonly RandomDocument[] {
  const least = inPercent(draw, 97) ? 1 : 0;
  return listOf(draw, 6, () => undefined, least).map((_, at) => randomDocument(draw, at + 1));
}

function randomDocument(draw: Draw, ridNumber: number): RandomDocument {
  const own = new Map<string, string>([['id', JSON.stringify(String(ridNumber))]]);
  const add = (name: string, percent: number, make: () => string): void => {
    if (inPercent(draw, percent)) own.set(name, inPercent(draw, 10) ? valueText(draw, 2) : make());
  };
  add('a', 85, () => oneOf(draw, numberTexts));
  add('b', 85, () => stringText(draw, oneOf(draw, strings)));
  add('t', 75, () => arrayText(draw, () => scalarText(draw)));
  add('o', 60, () => partText(draw));
  add('list', 60, () => arrayText(draw, () => partText(draw)));
  for (const name of oddNames) add(name, 8, () => scalarText(draw));
  const members = [...own].map(([name, value]) => `${nameText(draw, name)}${space(draw)}:${space(draw)}${value}`);
  const rid = documentRid(7, 9, ridNumber);
  const system = `,"_rid":"${rid}","_self":"dbs/a/colls/b/docs/${rid}/","_etag":"\\"0\\"","_attachments":"attachments/","_ts":1700000000`;
  const text = `{${space(draw)}${members.join(`${space(draw)},${space(draw)}`)}${system}`;
  const bytes = Buffer.from(`${text},"_lsn":${ridNumber + 10}}`);
  // The text is JSON.
  return { bytes, membersEnd: Buffer.byteLength(text), rid: ridNumber, value: JSON.parse(`${text}}`) as Value };
}

/** What `o` and the elements of `list` are. */
function partText(draw: Draw): string {
  const members: string[] = [];
  if (inPercent(draw, 80)) members.push(`"a":${oneOf(draw, numberTexts)}`);
  if (inPercent(draw, 70)) members.push(`${nameText(draw, 'b')}: ${stringText(draw, oneOf(draw, strings))}`);
  if (inPercent(draw, 40)) members.push(`"t":${arrayText(draw, () => scalarText(draw))}`);
  // Of a name that is there twice the last counts.
  if (inPercent(draw, 10)) members.push(`"${oneOf(draw, ['a', 'b'])}":${valueText(draw, 1)}`);
  return `{${members.join(`${space(draw)},`)}}`;
}

export function valueText(draw: Draw, depth: number): string {
  if (depth === 0 || inPercent(draw, 60)) return scalarText(draw);
  if (inPercent(draw, 50)) return arrayText(draw, () => valueText(draw, depth - 1));
  const names = listOf(draw, 3, () => oneOf(draw, ['a', 'b', 't', ...oddNames]));
  return `{${names.map((name) => `${nameText(draw, name)}:${valueText(draw, depth - 1)}`).join(',')}}`;
}

function scalarText(draw: Draw): string {
  const kind = draw.upTo(9);
  if (kind < 4) return oneOf(draw, numberTexts);
  if (kind < 8) return stringText(draw, oneOf(draw, strings));
  return oneOf(draw, ['true', 'false', 'null']);
}

function arrayText(draw: Draw, element: () => string): string {
  return `[${space(draw)}${listOf(draw, 4, element).join(`${space(draw)},`)}${space(draw)}]`;
}

function nameText(draw: Draw, name: string): string {
  return stringText(draw, name);
}

/** Now and then with escapes that need not be. */
function stringText(draw: Draw, text: string): string {
  if (!inPercent(draw, 10)) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

function space(draw: Draw): string {
  return inPercent(draw, 8) ? oneOf(draw, [' ', '\n', '\t\r\n ']) : '';
}
