// The changes on a page. Nearly always the whole page parses at once; when it does not, each item is tried for itself, so that
// one that nobody can parse is handed on as bytes and the others are not held up by it (F35).

import { isUtf8 } from 'node:buffer';
import type { ChangePage } from '@tidemark/client';
import { DatabaseError } from '@tidemark/model';
import type { FeedItem } from './feed-source.ts';

export function readItems(page: ChangePage): FeedItem[] {
  if (page.isText) {
    try {
      return page.items().map(itemOf);
    } catch {
      // Item by item, below.
    }
  }
  return bytesOf(page).map(parseItem);
}

/** A value that came parsed. What is no object is no change. */
export function itemOf(value: unknown): FeedItem {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { value: value as Readonly<Record<string, unknown>> };
  }
  return { raw: Buffer.from(JSON.stringify(value) ?? ''), reason: 'The change is not a JSON object.' };
}

function bytesOf(page: ChangePage): Buffer[] {
  try {
    return page.itemBytes();
  } catch (cause) {
    // Nothing shows where one item ends and the next begins: a cut answer, which the next read gets whole.
    throw new DatabaseError('unavailable', 'A page of the change feed came damaged.', { cause });
  }
}

function parseItem(bytes: Buffer): FeedItem {
  if (!isUtf8(bytes)) return { raw: Buffer.from(bytes), reason: 'The change is not UTF-8.' };
  try {
    return itemOf(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    return { raw: Buffer.from(bytes), reason: error instanceof Error ? error.message : String(error) };
  }
}
