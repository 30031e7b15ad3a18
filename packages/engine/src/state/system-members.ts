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
  writeEtagIx,
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
  /** Of the last document; those of one unit differ only in rid and ix. */
  #tail: Buffer = Buffer.alloc(0);
  #lsn = -1;
  #second = -1;

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
    const second = Math.floor(timeMs / 1000);
    return lsn === this.#lsn && second === this.#second ? this.#tail.length : this.#bytesOf(lsn, second);
  }

  writeTail({ ridNumber, lsn, ix, timeMs }: Stamp, target: Buffer, offset: number): number {
    const second = Math.floor(timeMs / 1000);
    if (lsn !== this.#lsn || second !== this.#second) this.#stamp(lsn, second);
    target.set(this.#tail, offset);
    this.#writeRid(ridNumber, target, offset + this.#ridAt);
    // A call of copyWithin takes several times as long.
    const from = offset + this.#ridAt;
    const to = offset + this.#selfRidAt;
    for (let i = 0; i < documentRidChars; i += 1) target[to + i] = target[from + i] as number;
    writeEtagIx(target, offset + this.#etagAt, ix);
    return offset + this.#tail.length;
  }

  #bytesOf(lsn: number, second: number): number {
    return this.#pattern.length + digitsOf(second) + lsnTailBytes(lsn);
  }

  #stamp(lsn: number, second: number): void {
    const bytes = this.#bytesOf(lsn, second);
    if (this.#tail.length !== bytes) {
      this.#tail = Buffer.allocUnsafeSlow(bytes);
      this.#tail.set(this.#pattern);
    }
    const tail = this.#tail;
    writeEtag(tail, this.#etagAt, this.#epoch, lsn, 0);
    let end = writeNumber(tail, this.#pattern.length, second);
    for (let i = 0; i < lsnName.length; i += 1) tail[end++] = lsnName.charCodeAt(i);
    end = writeNumber(tail, end, lsn);
    tail[end] = closeBrace;
    this.#lsn = lsn;
    this.#second = second;
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
