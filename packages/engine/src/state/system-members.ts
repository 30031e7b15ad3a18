// The members that the database writes into every document, as bytes behind the client's own:
//
//   ,"_rid":"…","_self":"…","_etag":"\"…\"","_attachments":"attachments/","_ts":N,"_lsn":N}
//
// All but the last two numbers have one length in a container, so that they are copied from a pattern and filled in.

import { Buffer } from 'node:buffer';
import {
  containerRid,
  containerRidPrefix,
  databaseRid,
  documentRid,
  documentRidChars,
  documentRidWriter,
  formatEtag,
  writeEtag,
} from '@tidemark/model';
import type { BodyTail, RecordInput } from '../log/frame-writer.ts';

/** What the members are made of. */
type Stamp = Pick<RecordInput, 'ridNumber' | 'lsn' | 'ix' | 'timeMs'>;

const lsnName = ',"_lsn":';

export class SystemMembers implements BodyTail {
  readonly #pattern: Buffer;
  readonly #ridAt: number;
  readonly #selfRidAt: number;
  readonly #etagAt: number;
  readonly #epoch: number;
  readonly #writeRid: (document: number, target: Uint8Array, offset: number) => void;

  constructor(database: number, container: number, epoch: number) {
    const rid = documentRid(database, container, 0);
    const self = `dbs/${databaseRid(database)}/colls/${containerRid(database, container)}/docs/`;
    const parts = [
      ',"_rid":"',
      rid,
      `","_self":"${self}`,
      rid,
      '/","_etag":"\\"',
      formatEtag(0, 0, 0),
      '\\"","_attachments":"attachments/","_ts":',
    ];
    const startOf = (part: number): number => parts.slice(0, part).join('').length;
    this.#pattern = Buffer.from(parts.join(''), 'latin1');
    this.#ridAt = startOf(1);
    this.#selfRidAt = startOf(3);
    this.#etagAt = startOf(5);
    this.#epoch = epoch;
    this.#writeRid = documentRidWriter(containerRidPrefix(database, container));
  }

  tailBytes({ lsn, timeMs }: Stamp): number {
    return this.#pattern.length + digitsOf(Math.floor(timeMs / 1000)) + lsnTailBytes(lsn);
  }

  writeTail({ ridNumber, lsn, ix, timeMs }: Stamp, target: Buffer, offset: number): number {
    target.set(this.#pattern, offset);
    this.#writeRid(ridNumber, target, offset + this.#ridAt);
    // A call of copyWithin takes several times as long.
    const from = offset + this.#ridAt;
    const to = offset + this.#selfRidAt;
    for (let i = 0; i < documentRidChars; i += 1) target[to + i] = target[from + i] as number;
    writeEtag(target, offset + this.#etagAt, this.#epoch, lsn, ix);
    let end = writeNumber(target, offset + this.#pattern.length, Math.floor(timeMs / 1000));
    for (let i = 0; i < lsnName.length; i += 1) target[end++] = lsnName.charCodeAt(i);
    end = writeNumber(target, end, lsn);
    target[end] = closeBrace;
    return end + 1;
  }
}

/** The length of `,"_lsn":N}`, which ends every stored body. */
export function lsnTailBytes(lsn: number): number {
  return lsnName.length + digitsOf(lsn) + 1;
}

const closeBrace = 0x7d;
const digitZero = 0x30;

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}

function writeNumber(target: Buffer, offset: number, value: number): number {
  const end = offset + digitsOf(value);
  let rest = value;
  for (let i = end - 1; i >= offset; i -= 1) {
    const tenth = Math.floor(rest / 10);
    target[i] = digitZero + (rest - tenth * 10);
    rest = tenth;
  }
  return end;
}
