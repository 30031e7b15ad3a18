// The members that the database writes into every document, as bytes behind the client's own:
//
//   ,"_rid":"…","_self":"…","_etag":"\"…\"","_attachments":"attachments/","_ts":N,"_lsn":N}
//
// All but the last two numbers have one length in a container, so that they are copied from a pattern and filled in. Where the
// client wrote some of them among its own (write/system-places.ts) they are moved there; only `_lsn` is always last.

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
import type { SystemPlace } from '../write/system-places.ts';
import { digitsOf, lsnName, lsnTailBytes, placedProperties, withMembers } from '../write/system-places.ts';

/** What the members are made of. */
type Stamp = Pick<RecordInput, 'ridNumber' | 'lsn' | 'ix' | 'timeMs'>;

export interface SystemTail extends BodyTail {
  tailBytes(stamp: Stamp): number;
  writeTail(stamp: Stamp, target: Buffer, offset: number, start: number): number;
}

export class SystemMembers implements SystemTail {
  readonly #pattern: Buffer;
  readonly #ridAt: number;
  readonly #selfRidAt: number;
  readonly #etagAt: number;
  /** Where each of those with a place begins, with its comma. */
  readonly #starts: readonly number[];
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
    this.#starts = placedProperties.map((name) => this.#pattern.indexOf(`,"${name}":`));
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

  /** What stands behind the bytes of a document, or among them. */
  tailOf(places: readonly SystemPlace[] | undefined): SystemTail {
    return places === undefined ? this : new PlacedMembers(this, places);
  }

  /** Moves members of a tail that was written at `offset`, behind the bytes that begin at `start`, to their places. */
  arrange(
    target: Buffer,
    start: number,
    offset: number,
    end: number,
    lsn: number,
    places: readonly SystemPlace[],
  ): void {
    const open = Buffer.from(target.subarray(start, offset));
    const tail = Buffer.from(target.subarray(offset, end));
    const starts = [...this.#starts, tail.length - lsnTailBytes(lsn)];
    const memberOf = (name: string): Buffer => {
      const at = placedProperties.indexOf(name);
      return tail.subarray(starts[at], starts[at + 1]);
    };
    let at = start + withMembers(open, places, memberOf).copy(target, start);
    for (const name of placedProperties) {
      if (!places.some((place) => place.name === name)) at += memberOf(name).copy(target, at);
    }
    tail.copy(target, at, tail.length - lsnTailBytes(lsn));
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

/** The tail of one document: as long as any, but not all of it behind the bytes. */
class PlacedMembers implements SystemTail {
  readonly #system: SystemMembers;
  readonly #places: readonly SystemPlace[];

  constructor(system: SystemMembers, places: readonly SystemPlace[]) {
    this.#system = system;
    this.#places = places;
  }

  tailBytes(stamp: Stamp): number {
    return this.#system.tailBytes(stamp);
  }

  writeTail(stamp: Stamp, target: Buffer, offset: number, start: number): number {
    const end = this.#system.writeTail(stamp, target, offset);
    this.#system.arrange(target, start, offset, end, stamp.lsn, this.#places);
    return end;
  }
}

const closeBrace = 0x7d;
const digitZero = 0x30;

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
