// A change on one line for people: when, where, what happened, to which document, and what it is now.

import type { PartitionKeyDefinition } from '@tidemark/model';
import { extractPartitionKey, isSystemProperty, parsePartitionKeyPath } from '@tidemark/model';
import { shown } from './terminal.ts';

type Json = Readonly<Record<string, unknown>>;

/** `paths` are those of the container's partition key; `widthMax` cuts the line. */
export function changeLine(item: unknown, range: string, paths: readonly string[], widthMax: number): string {
  const change: Json = Object(item);
  const metadata = change['metadata'] as Json | undefined;
  const line = metadata === undefined ? latestLine(change, range, paths) : versionLine(change, metadata, range, paths);
  const text = shown(line);
  return text.length > widthMax ? `${text.slice(0, Math.max(1, widthMax - 1))}…` : text;
}

function latestLine(document: Json, range: string, paths: readonly string[]): string {
  return lineOf(document['_ts'], range, document['_lsn'], 'is', keyTextOf(document, paths), document['id'], document);
}

function versionLine({ current, previous }: Json, metadata: Json, range: string, paths: readonly string[]): string {
  const operation = String(metadata['operationType']);
  const isDelete = operation === 'delete';
  const document: Json = Object(isDelete ? previous : current);
  const key = isDelete ? JSON.stringify(Object.values(Object(metadata['partitionKey']))) : keyTextOf(document, paths);
  const id = isDelete ? metadata['id'] : document['id'];
  const word = metadata['timeToLiveExpired'] === true ? 'expire' : operation;
  return lineOf(metadata['crts'], range, metadata['lsn'], word, key, id, document);
}

function lineOf(
  seconds: unknown,
  range: string,
  lsn: unknown,
  word: string,
  key: string,
  id: unknown,
  document: Json,
): string {
  const time = new Date(Number(seconds) * 1000);
  const when = Number.isNaN(time.getTime()) ? '-' : `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  const own = Object.entries(document).filter(([name]) => name !== 'id' && name !== '_lsn' && !isSystemProperty(name));
  const body = own.length === 0 ? '' : `  ${JSON.stringify(Object.fromEntries(own))}`;
  return `${when}  ${range}:${lsn}  ${word.padEnd(7)}  ${key}  ${JSON.stringify(id)}${body}`;
}

/** The document's partition key as JSON; `{}` stands for what is not there. */
export function keyTextOf(document: Json, paths: readonly string[]): string {
  const parsed = paths.map((path) => parsePartitionKeyPath(path));
  return JSON.stringify(extractPartitionKey(document, parsed).map((value) => (value === undefined ? {} : value)));
}

/** The paths of a container's definition as any endpoint gives it. */
export function keyPathsOf(definition: Json): readonly string[] {
  const { paths }: Partial<PartitionKeyDefinition> = Object(definition['partitionKey']);
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}
