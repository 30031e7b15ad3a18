// A part of a document: the members that a list of paths names, as they stand in its bytes. They are not parsed and written
// anew, so that number literals and the order of members survive.

import { Buffer } from 'node:buffer';
import { memberSpans } from '@tidemark/model';
import type { PathTree } from '../path-tree.ts';

/** `document` is valid JSON, an object. */
export function projected(document: Buffer, paths: PathTree): Buffer {
  const parts: Buffer[] = [];
  addObject(parts, document, 0, document.length, paths);
  return Buffer.concat(parts);
}

const openBrace = 0x7b;
const colon = 0x3a;
const blankMax = 0x20;
const opening: Buffer = Buffer.from('{');
const closing: Buffer = Buffer.from('}');
const comma: Buffer = Buffer.from(',');

function addObject(parts: Buffer[], bytes: Buffer, from: number, to: number, paths: PathTree): void {
  parts.push(opening);
  let isFirst = true;
  for (const { segmentStart, nameStart, nameEnd, segmentEnd } of memberSpans(bytes, from, to)) {
    const name = JSON.parse(bytes.toString('utf8', nameStart, nameEnd)) as string; // What stands before a colon.
    if (!paths.has(name)) continue;
    const below = paths.get(name);
    const valueStart = startOfValue(bytes, nameEnd);
    if (below !== undefined && bytes[valueStart] !== openBrace) continue;
    if (!isFirst) parts.push(comma);
    isFirst = false;
    if (below === undefined) {
      parts.push(bytes.subarray(segmentStart, segmentEnd));
      continue;
    }
    parts.push(bytes.subarray(segmentStart, valueStart));
    addObject(parts, bytes, valueStart, segmentEnd, below);
  }
  parts.push(closing);
}

function startOfValue(bytes: Buffer, nameEnd: number): number {
  let at = nameEnd;
  while ((bytes[at] as number) <= blankMax || bytes[at] === colon) at += 1;
  return at;
}
