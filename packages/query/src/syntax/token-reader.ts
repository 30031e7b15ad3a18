// The tokens of a text with one token of look-ahead, and how deep the parser is.

import { depthMax } from '../limits.ts';
import type { QueryError } from '../query-error.ts';
import { queryError } from '../query-error.ts';
import { Lexer } from './lexer.ts';
import type { Token } from './token.ts';
import { laterKeywords } from './token.ts';

export class TokenReader {
  readonly #text: string;
  readonly #lexer: Lexer;
  #ahead: Token;
  /** Where the last token that was taken ends. */
  #end = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lexer = new Lexer(text);
    this.#ahead = this.#lexer.next();
  }

  get here(): number {
    return this.#ahead.start;
  }

  get endOfLast(): number {
    return this.#end;
  }

  peek(): Token {
    return this.#ahead;
  }

  next(): Token {
    const token = this.#ahead;
    this.#end = token.end;
    if (token.kind !== 'end') this.#ahead = this.#lexer.next();
    return token;
  }

  isKeyword(word: string): boolean {
    return this.#ahead.kind === 'keyword' && this.#ahead.word === word;
  }

  takeKeyword(word: string): Token | undefined {
    return this.isKeyword(word) ? this.next() : undefined;
  }

  expectKeyword(word: string): void {
    if (this.takeKeyword(word) === undefined) throw this.unexpected(this.#ahead);
  }

  takeSign(sign: string): boolean {
    if (this.#ahead.kind !== 'sign' || this.#ahead.sign !== sign) return false;
    this.next();
    return true;
  }

  expectSign(sign: string): void {
    if (!this.takeSign(sign)) throw this.unexpected(this.#ahead);
  }

  expectName(): string {
    const token = this.next();
    if (token.kind !== 'name') throw this.unexpected(token);
    return token.text;
  }

  /** Behind a dot. */
  expectMemberName(): string {
    const token = this.next();
    if (token.kind === 'name' || (token.kind === 'keyword' && laterKeywords.has(token.word))) return token.text;
    throw this.unexpected(token);
  }

  expectEnd(): void {
    if (this.#ahead.kind !== 'end') throw this.unexpected(this.#ahead);
  }

  enter(levels: number): void {
    this.#depth += levels;
    if (this.#depth > depthMax) {
      const span = { start: this.here, end: this.here };
      throw queryError('SC1001', `Syntax error, the query is nested deeper than ${depthMax} levels.`, span);
    }
  }

  leave(levels: number): void {
    this.#depth -= levels;
  }

  unexpected(token: Token): QueryError {
    const { start, end } = token;
    if (token.kind === 'end') return queryError('SC1002', 'Syntax error, unexpected end-of-file.', { start, end });
    const shown = this.#text.slice(start, Math.min(end, start + 100));
    return queryError('SC1001', `Syntax error, incorrect syntax near '${shown}'.`, { start, end });
  }
}
