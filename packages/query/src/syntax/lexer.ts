// From text to tokens, one at a time, so that a long text needs no more memory than a short one.
//
// Spec query 1.1: comments run from `--` to the end of the line, and there are no others. Escapes of strings are those of
// JSON and `\'`; a doubled quote is no escape. A number begins with a digit or a dot; its sign is an operator.

import type { QueryError } from '../query-error.ts';
import { queryError } from '../query-error.ts';
import type { Token } from './token.ts';
import { keywords, laterKeywords, signs } from './token.ts';

export class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    this.#skipSpace();
    const start = this.#at;
    const code = this.#text.charCodeAt(start);
    if (start >= this.#text.length) return { kind: 'end', start, end: start };
    if (isNameStart(code)) return this.#name(start);
    if (isDigit(code) || (code === dot && isDigit(this.#text.charCodeAt(start + 1)))) return this.#number(start);
    if (code === doubleQuote || code === singleQuote) return this.#string(start, code);
    if (code === atSign && isNameStart(this.#text.charCodeAt(start + 1))) {
      const end = this.#nameEnd(start + 1);
      this.#at = end;
      return { kind: 'parameter', text: this.#text.slice(start, end), start, end };
    }
    return this.#sign(start);
  }

  #skipSpace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
        this.#at += 1;
      } else if (code === dash && text.charCodeAt(this.#at + 1) === dash) {
        while (this.#at < text.length && !isLineEnd(text.charCodeAt(this.#at))) this.#at += 1;
      } else {
        return;
      }
    }
  }

  #name(start: number): Token {
    const end = this.#nameEnd(start);
    this.#at = end;
    const text = this.#text.slice(start, end);
    const word = text.length <= 8 ? text.toUpperCase() : text;
    return keywords.has(word) ? { kind: 'keyword', word, text, start, end } : { kind: 'name', text, start, end };
  }

  #nameEnd(start: number): number {
    let at = start + 1;
    while (isNamePart(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  #number(start: number): Token {
    numberPattern.lastIndex = start;
    // It matches: the text begins with a digit, or with a dot and a digit.
    const text = numberPattern.exec(this.#text)![0];
    const end = start + text.length;
    const value = Number(text);
    if (isNameStart(this.#text.charCodeAt(end)) || !Number.isFinite(value)) {
      throw this.#broken('SC1011', start, this.#nameEnd(end), 'numeric value token');
    }
    this.#at = end;
    return { kind: 'number', value, start, end };
  }

  #string(start: number, quote: number): Token {
    const text = this.#text;
    let at = start + 1;
    let value = '';
    let plainFrom = at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (at >= text.length || code < 0x20) throw this.#broken('SC1012', start, at, 'string literal token');
      if (code === quote) break;
      if (code !== backslash) {
        at += 1;
        continue;
      }
      value += text.slice(plainFrom, at);
      const { character, length } = this.#escape(at, start);
      value += character;
      at += length;
      plainFrom = at;
    }
    value += text.slice(plainFrom, at);
    this.#at = at + 1;
    return { kind: 'string', value, start, end: this.#at };
  }

  #escape(at: number, stringStart: number): { readonly character: string; readonly length: number } {
    const letter = this.#text.charAt(at + 1);
    const simple = escapes.get(letter);
    if (simple !== undefined) return { character: simple, length: 2 };
    const digits = this.#text.slice(at + 2, at + 6);
    if (letter === 'u' && hexPattern.test(digits)) {
      return { character: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
    }
    throw this.#broken('SC1012', stringStart, at + 2, 'string literal token');
  }

  #sign(start: number): Token {
    const sign = signs.find((candidate) => this.#text.startsWith(candidate, start));
    if (sign === undefined) {
      const character = String.fromCodePoint(this.#text.codePointAt(start)!);
      const span = { start, end: start + character.length };
      throw queryError('SC1010', `Syntax error, invalid token '${character}'.`, span);
    }
    this.#at = start + sign.length;
    return { kind: 'sign', sign, start, end: this.#at };
  }

  #broken(code: string, start: number, end: number, what: string): QueryError {
    const stop = Math.min(end, this.#text.length);
    const shown = this.#text.slice(start, Math.min(stop, start + 40));
    return queryError(code, `Syntax error, invalid ${what} '${shown}'.`, { start, end: stop });
  }
}

/** Whether a name of a member may stand behind a dot. */
export function isBareName(text: string): boolean {
  const word = text.toUpperCase();
  return barePattern.test(text) && (!keywords.has(word) || laterKeywords.has(word));
}

const barePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const numberPattern = /0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const hexPattern = /^[0-9A-Fa-f]{4}$/;

const escapes: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const doubleQuote = 0x22;
const singleQuote = 0x27;
const dash = 0x2d;
const dot = 0x2e;
const atSign = 0x40;
const backslash = 0x5c;

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNameStart(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || isDigit(code);
}
