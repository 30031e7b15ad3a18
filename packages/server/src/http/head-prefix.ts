// The part of a head that has come. Bytes that can no longer become one are refused at once: a client that speaks something else, or
// has lost the thread, is not kept until its time is over. The grammar is that of head.ts; each byte is looked at once, so that a
// client that sends them one by one costs no more than another.

import { isTargetCode, isTokenCode, isValueCode, methods, target } from './head.ts';

type State = 'method' | 'target' | 'version' | 'line-lf' | 'line' | 'name' | 'value' | 'end-lf' | 'end';

const cr = 0x0d;
const lf = 0x0a;
const space = 0x20;
const colon = 0x3a;

/** Before a request an empty line may come; that is for whoever looks at whole lines. */
export class HeadPrefix {
  #state: State = 'method';
  /** So many bytes have been looked at. */
  #at = 0;
  /** The word under way, as far as it has come. */
  #word = '';
  #isTunnel = false;

  /** Whether these bytes may become a head. They are the ones of the last time and what has come behind them. */
  mayBecomeHead(bytes: Buffer): boolean {
    if (bytes[0] === cr && (bytes.length === 1 || bytes[1] === lf)) return true;
    for (; this.#at < bytes.length; this.#at += 1) if (!this.#step(bytes[this.#at] as number)) return false;
    return true;
  }

  #step(byte: number): boolean {
    switch (this.#state) {
      case 'method':
        return this.#stepMethod(byte);
      case 'target':
        return this.#stepTarget(byte);
      case 'version':
        if (byte === cr && this.#word.length === versionLength) return this.#goTo('line-lf');
        this.#word += String.fromCharCode(byte);
        return versions.some((version) => version.startsWith(this.#word));
      case 'line-lf':
        return byte === lf && this.#goTo('line');
      case 'line':
        if (byte === cr) return this.#goTo('end-lf');
        return isTokenCode[byte] === 1 && this.#goTo('name');
      case 'name':
        if (byte === colon) return this.#goTo('value');
        return isTokenCode[byte] === 1;
      case 'value':
        if (byte === cr) return this.#goTo('line-lf');
        return isValueCode[byte] === 1;
      case 'end-lf':
        return byte === lf && this.#goTo('end');
      case 'end':
        return true;
    }
  }

  #stepMethod(byte: number): boolean {
    if (byte === space && methods.has(this.#word)) {
      this.#isTunnel = this.#word === 'CONNECT';
      return this.#goTo('target');
    }
    this.#word += String.fromCharCode(byte);
    return [...methods].some((method) => method.startsWith(this.#word));
  }

  #stepTarget(byte: number): boolean {
    const isAny = this.#isTunnel || this.#word.startsWith('/');
    if (byte === space) return (isAny ? this.#word !== '' : target.test(this.#word)) && this.#goTo('version');
    // A path is known by its first byte.
    if (!isAny || this.#word === '') this.#word += String.fromCharCode(byte);
    return isTargetCode[byte] === 1 && (isAny || mayBeTarget(this.#word));
  }

  #goTo(state: State): true {
    this.#state = state;
    this.#word = '';
    return true;
  }
}

const versions: readonly string[] = ['HTTP/1.0', 'HTTP/1.1'];
const versionLength = 'HTTP/1.1'.length;

function mayBeTarget(word: string): boolean {
  if (word === '/' || word === '*') return true;
  const begin = word.slice(0, 'https://'.length).toLowerCase();
  return 'https://'.startsWith(begin) || begin.startsWith('http://') || 'http://'.startsWith(begin);
}
