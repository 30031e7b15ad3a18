// A body that says itself where it ends (RFC 9112, 7.1):
//
//   (size in hex extension* CRLF · data CRLF)* · "0" extension* CRLF · (trailer CRLF)* · CRLF
//   extension   ";" token ["=" (token or quoted string without backslash)]
//
// Extensions and trailers are read past, within a bound; what other readers would not take for one is refused. A line ends with CR LF and nothing else, and a trailer has a name:
// what comes behind a body that was cut short, such as another request, is not taken for its trailers.

import { headerBytesMax } from '../limits.ts';
import { isTokenCode, isValueCode } from './head.ts';

type State =
  | 'size'
  | 'extension'
  | 'extension-name'
  | 'extension-equals'
  | 'extension-value'
  | 'extension-quoted'
  | 'extension-end'
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
const equals = 0x3d;
const quote = 0x22;
const backslash = 0x5c;
const firstNoText = 0x7f;
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
  /** The name of the trailer under way. */
  #trailer = '';

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
        this.#state = 'extension-name';
        return this.#isName(byte);
      case 'extension-name':
        if (byte === equals) this.#state = 'extension-equals';
        return byte === equals || this.#isName(byte) || this.#endsExtension(byte);
      case 'extension-equals':
        this.#state = byte === quote ? 'extension-quoted' : 'extension-value';
        return byte === quote || this.#isName(byte);
      case 'extension-value':
        return this.#isName(byte) || this.#endsExtension(byte);
      case 'extension-quoted':
        if (byte === quote) this.#state = 'extension-end';
        return byte < firstNoText && byte !== backslash && this.#isValue(byte);
      case 'extension-end':
        return this.#endsExtension(byte);
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
        this.#trailer = '';
        return byte === cr || this.#readTrailerName(byte);
      case 'trailer-name':
        if (byte !== colon) return this.#readTrailerName(byte);
        this.#state = 'trailer';
        return !notInTrailers.has(this.#trailer.toLowerCase());
      case 'trailer':
        if (byte === cr) this.#state = 'trailer-lf';
        return byte === cr || this.#isValue(byte);
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

  #readTrailerName(byte: number): boolean {
    this.#trailer += String.fromCharCode(byte);
    return this.#isName(byte);
  }

  #endsExtension(byte: number): boolean {
    this.#state = byte === semicolon ? 'extension' : 'size-lf';
    return byte === semicolon || byte === cr;
  }

  #isName(byte: number): boolean {
    this.#beside += 1;
    return isTokenCode[byte] === 1 && this.#beside <= headerBytesMax;
  }

  #isValue(byte: number): boolean {
    this.#beside += 1;
    return isValueCode[byte] === 1 && this.#beside <= headerBytesMax;
  }
}

/** They say how the next bytes are to be read, and some readers go by them. */
const notInTrailers: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lowerCase = byte | 0x20;
  return lowerCase >= 0x61 && lowerCase <= 0x66 ? lowerCase - 0x57 : undefined;
}
