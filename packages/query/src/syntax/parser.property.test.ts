import { isDatabaseError } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCorpus } from '../../test/corpus.ts';
import type { Draw } from '../../test/draw.ts';
import { draws, listOf, oneOf } from '../../test/draw.ts';
import { prepareQuery } from '../query.ts';
import { QueryError } from '../query-error.ts';
import { parseBlock, parseQuery } from './parser.ts';
import { keywords, signs } from './token.ts';
import { TokenReader } from './token-reader.ts';

/** How often the parser asks about a token, and how often the lexer looks at a character, at most. */
const asksPerTokenMax = 40;
const looksPerCharacterMax = 40;

const corpus = readCorpus().map(({ query }) => query);
const words = [
  ...keywords,
  ...signs,
  ...['c', 'c.a', 'true', 'undefined', 'NaN', 'udf', 'COUNT', 'FIRST', '@p', '1', '0.5', '1e9', '0x1', '"a"', "'b'"],
  ...[';', '#', '@', '\\', '"', "'", '--', '/*', '\u0000', 'é', '𝄞', '\ud800', '1x', '.5.', '"\\u00', '\n'],
];

test('[wire 12] words in any order are a query or an error with its place', () => {
  fc.assert(
    fc.property(draws, (draw) => {
      expectSurvives(listOf(draw, 30, () => oneOf(draw, words)).join(oneOf(draw, ['', ' ', ' '])));
    }),
    { numRuns: 1500 },
  );
});

test('[wire 12] so are queries of the corpus that were changed', () => {
  fc.assert(
    fc.property(draws, (draw) => {
      expectSurvives(mutated(draw));
    }),
    { numRuns: 1500 },
  );
});

test('[wire 12] so is any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.boolean(), (text, isBegun) => {
      expectSurvives(isBegun ? `SELECT VALUE ${text}` : text);
    }),
    { numRuns: 1000 },
  );
});

describe('[wire 12] steps grow with the length of the text', () => {
  test.each<readonly [string, (n: number) => string]>([
    ['parentheses', (n) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['open parentheses', (n) => '('.repeat(n)],
    ['open brackets', (n) => 'a['.repeat(n)],
    ['open braces', (n) => '{a:'.repeat(n)],
    ['open calls', (n) => 'f('.repeat(n)],
    ['open subqueries', (n) => '(SELECT VALUE '.repeat(n)],
    ['open conditions', (n) => 'a ? '.repeat(n)],
    ['open ranges', (n) => 'a BETWEEN '.repeat(n)],
    ['signs', (n) => '- ~ + NOT '.repeat(n)],
    ['a sum', (n) => `${'1 + '.repeat(n)}1`],
    ['every operator', (n) => `${'a ?? a OR a AND a || a | a ^ a & a = a < a << a + a * '.repeat(n)}1`],
    ['a chain', (n) => `${'a AND b OR '.repeat(n)}c`],
    ['a list', (n) => `a IN (${'1, '.repeat(n)}1)`],
    ['a list of rows', (n) => `[${'{a: [1]}, '.repeat(n)}1]`],
    ['a path', (n) => `a${'.b[0]'.repeat(n)}`],
    ['joins', (n) => `1 FROM c${' JOIN x IN c.a'.repeat(n)}`],
    ['a long name', (n) => 'a'.repeat(n)],
    ['a long number', (n) => '1'.repeat(n)],
    ['a long string', (n) => `"${'a'.repeat(n)}"`],
    ['a string of escapes', (n) => `"${'\\u0041\\n'.repeat(n)}"`],
    ['a string without an end', (n) => `"${'\\n'.repeat(n)}`],
    ['a comment', (n) => `1 ${'-'.repeat(n)}`],
    ['comments', (n) => `1 ${'-- a\n'.repeat(n)}`],
    ['spaces', (n) => `1${' '.repeat(n)}`],
    ['points', (n) => '.'.repeat(n)],
    ['numbers with points', (n) => '1.'.repeat(n)],
    ['exponents', (n) => '1e'.repeat(n)],
  ])('%s', (_, make) => {
    for (const n of [100, 550, 20_000]) expectSurvives(`SELECT VALUE ${make(n)}`);
  });
});

/** Of a query of the corpus, with parts taken out, doubled, exchanged and put in. */
function mutated(draw: Draw): string {
  let text = oneOf(draw, corpus);
  for (const change of listOf(draw, 4, () => draw.upTo(4), 1)) {
    const from = draw.upTo(text.length);
    const to = Math.min(text.length, from + draw.upTo(12));
    const part = text.slice(from, to);
    if (change === 0) text = text.slice(0, from) + text.slice(to);
    else if (change === 1) text = text.slice(0, to) + part.repeat(1 + draw.upTo(3)) + text.slice(to);
    else if (change === 2) text = text.slice(0, from) + oneOf(draw, words) + text.slice(to);
    else if (change === 3) text = `${text.slice(0, from)} ${oneOf(draw, words)} ${text.slice(from)}`;
    else text = text.slice(0, from) + oneOf(draw, corpus).slice(draw.upTo(40));
  }
  return text;
}

function expectSurvives(text: string): void {
  const error = errorOf(() => parseQuery(text)) ?? errorOf(() => prepareQuery(text, ['@p']));

  if (error instanceof QueryError) {
    for (const { span } of error.problems) {
      if (span === undefined) continue;
      expect(span.start).toBeGreaterThanOrEqual(0);
      expect(span.end).toBeGreaterThanOrEqual(span.start);
      expect(span.end).toBeLessThanOrEqual(text.length);
    }
  } else if (error !== undefined) {
    expect(isDatabaseError(error) && error.code === 'not-supported' ? undefined : error).toBeUndefined();
  }
  expectLinear(text);
}

function expectLinear(text: string): void {
  const counted = new CountedText(text);
  errorOf(() => parseQuery(counted.asString));
  expect(counted.looks).toBeLessThanOrEqual(looksPerCharacterMax * (text.length + 1));
  // The first token is read at once.
  if (errorOf(() => new CountedReader(text)) !== undefined) return;
  const reader = new CountedReader(text);
  errorOf(() => parseBlock(reader));
  expect(reader.asks).toBeLessThanOrEqual(asksPerTokenMax * (reader.taken + 1));
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Counts what the parser asks of its tokens. */
class CountedReader extends TokenReader {
  asks = 0;
  taken = 0;

  override peek(): ReturnType<TokenReader['peek']> {
    this.asks += 1;
    return super.peek();
  }

  override next(): ReturnType<TokenReader['next']> {
    this.asks += 1;
    this.taken += 1;
    return super.next();
  }

  override isKeyword(word: string): boolean {
    this.asks += 1;
    return super.isKeyword(word);
  }

  override takeSign(sign: string): boolean {
    this.asks += 1;
    return super.takeSign(sign);
  }

  override enter(levels: number): void {
    this.asks += 1;
    super.enter(levels);
  }
}

/** A text that counts how many of its characters are looked at. */
class CountedText {
  looks = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** What the lexer asks of a string, it has. */
  get asString(): string {
    return this as unknown as string;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(at: number): number {
    this.looks += 1;
    return this.#text.charCodeAt(at);
  }

  codePointAt(at: number): number | undefined {
    this.looks += 1;
    return this.#text.codePointAt(at);
  }

  charAt(at: number): string {
    this.looks += 1;
    return this.#text.charAt(at);
  }

  slice(from: number, to: number): string {
    this.looks += Math.max(0, Math.min(to, this.#text.length) - from);
    return this.#text.slice(from, to);
  }

  startsWith(part: string, at: number): boolean {
    this.looks += 1;
    return this.#text.startsWith(part, at);
  }

  /** For the expression of numbers, which looks at each digit once. */
  toString(): string {
    return this.#text;
  }
}
