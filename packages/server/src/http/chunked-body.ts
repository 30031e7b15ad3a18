// A body that says itself where it ends (RFC 9112, 7.1):
//
//   (size in hex [";" extension] CRLF · data CRLF)* · "0" [";" extension] CRLF · (trailer CRLF)* · CRLF
//
// Extensions and trailers are read past, within a bound. A line ends with CR LF and nothing else, and a trailer has a name:
// what comes behind a body that was cut short, such as another request, is not taken for its trailers.

import { headerBytesMax } from '../limits.ts';
import { isTokenCode } from './head.ts';

type State =
  | 'size'
  | 'extension'
  | 'size-lf'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'line'
  | 'trailer-name'
  | 'trailer'
  | 'trailer-lf'
  | 'end-lf';

const cr = 0x0d;
const lf = 0x0a;
const colon = 0x3a;
const semicolon = 0x3b;
/** More than any body may have. */
const sizeDigitsMax = 8;

/** What became of the bytes: how many belong to the body, and whether it is over. */
export interface ChunksRead {
  readonly consumed: number;
  readonly isOver: boolean;
}

export class ChunkedBody {
  #state: State = 'size';
  #digits = 0;
  /** Of the chunk under way, what is still to come. */
  #rest = 0;
  /** Of extensions and trailers. */
  #beside = 0;

  /** Gives data to `take` as it comes. Undefined when this is no such body. */
  read(bytes: Buffer, take: (data: Buffer) => void): ChunksRead | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#rest);
        take(bytes.subarray(at, end));
        this.#rest -= end - at;
        at = end;
        if (this.#rest === 0) this.#state = 'data-cr';
        continue;
      }
      const isEnd = this.#state === 'end-lf';
      if (!this.#step(bytes[at] as number)) return undefined;
      at += 1;
      if (isEnd) return { consumed: at, isOver: true };
    }
    return { consumed: bytes.length, isOver: false };
  }

  /** One byte that is no data; false when it may not stand there. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        return this.#readBeside(byte, 'size-lf');
      case 'size-lf':
        this.#state = this.#rest === 0 ? 'line' : 'data';
        this.#digits = 0;
        return byte === lf;
      case 'data-cr':
        this.#state = 'data-lf';
        return byte === cr;
      case 'data-lf':
        this.#state = 'size';
        return byte === lf;
      case 'line':
        this.#state = byte === cr ? 'end-lf' : 'trailer-name';
        return byte === cr || this.#readName(byte);
      case 'trailer-name':
        if (byte === colon) this.#state = 'trailer';
        return byte === colon || this.#readName(byte);
      case 'trailer':
        return this.#readBeside(byte, 'trailer-lf');
      case 'trailer-lf':
        this.#state = 'line';
        return byte === lf;
      case 'end-lf':
        return byte === lf;
      default:
        return false;
    }
  }

  #readSize(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit !== undefined) {
      this.#digits += 1;
      this.#rest = this.#rest * 16 + digit;
      return this.#digits <= sizeDigitsMax;
    }
    this.#state = byte === semicolon ? 'extension' : 'size-lf';
    return this.#digits > 0 && (byte === semicolon || byte === cr);
  }

  #readName(byte: number): boolean {
    this.#beside += 1;
    return isTokenCode[byte] === 1 && this.#beside <= headerBytesMax;
  }

  #readBeside(byte: number, atCr: State): boolean {
    this.#beside += 1;
    if (byte === cr) this.#state = atCr;
    return byte !== lf && this.#beside <= headerBytesMax;
  }
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lowerCase = byte | 0x20;
  return lowerCase >= 0x61 && lowerCase <= 0x66 ? lowerCase - 0x57 : undefined;
}
