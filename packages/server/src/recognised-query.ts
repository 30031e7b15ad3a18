// Until SQL is understood, three queries are, because clients cannot do without them: everything, which is what clients ask
// for when they are told to read all; documents whose id begins with something, which is how hosts find their leases; and
// the offer of a resource. They are recognised by their words, in any spelling, and nothing beyond them is guessed.
//
//   SELECT * FROM c
//   SELECT * FROM c WHERE STARTSWITH(c.id, 'prefix' | @parameter)
//   SELECT * FROM root WHERE root.resource = 'dbs/…/' | @parameter

import { DatabaseError } from '@tidemark/model';

export type RecognisedQuery =
  | { readonly kind: 'all' }
  | { readonly kind: 'id-prefix'; readonly prefix: string }
  | { readonly kind: 'resource'; readonly resource: string };

/** Throws bad-request where the body is no query at all, and not-supported where it is another one. */
export function recogniseQuery(body: unknown): RecognisedQuery {
  const { text, parameters } = readBody(body);
  const words = wordsOf(text);
  const found = words === undefined ? undefined : recognise(words, parameters);
  if (found !== undefined) return found;
  // Wire: the grammar that Microsoft publishes (sql.g4 of its clients) ends a query with its last clause.
  const semicolon = text.trimEnd().endsWith(';') ? 'A query has no semicolon at its end. ' : '';
  throw new DatabaseError('not-supported', semicolon + unknownQuery);
}

const unknownQuery =
  'SQL queries are not supported yet, but for SELECT * FROM c, SELECT * FROM c WHERE STARTSWITH(c.id, …) and the offer of a ' +
  'resource. Read one document with item(id, partitionKey).read() of the SDK, or GET of its path; all of them with ' +
  'items.readAll(), or GET of …/docs; or follow the change feed.';

type Word =
  | { readonly kind: 'name' | 'sign' | 'parameter'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string };

type Parameters = ReadonlyMap<string, unknown>;

function readBody(body: unknown): { readonly text: string; readonly parameters: Parameters } {
  const { query, parameters = [] } = Object(body) as { query?: unknown; parameters?: unknown };
  if (typeof query !== 'string' || !Array.isArray(parameters)) {
    throw new DatabaseError(
      'bad-request',
      'A query has the form {"query": "SELECT …", "parameters": [{"name": "@x", "value": …}]}.',
    );
  }
  const values = new Map<string, unknown>();
  for (const parameter of parameters as unknown[]) {
    const { name, value } = Object(parameter) as { name?: unknown; value?: unknown };
    if (typeof name !== 'string') {
      throw new DatabaseError(
        'bad-request',
        'Every parameter of a query has a "name" that begins with @, and a "value".',
      );
    }
    values.set(name, value);
  }
  return { text: query, parameters: values };
}

const wordPattern =
  /\s+|([A-Za-z_][A-Za-z0-9_]*)|(@[A-Za-z_][A-Za-z0-9_]*)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([*.,()=])/gy;

/** Undefined when there is something in the text that none of the three has. */
function wordsOf(text: string): Word[] | undefined {
  const words: Word[] = [];
  wordPattern.lastIndex = 0;
  while (wordPattern.lastIndex < text.length) {
    const match = wordPattern.exec(text);
    if (match === null) return undefined;
    const [, name, parameter, literal, sign] = match;
    if (name !== undefined) words.push({ kind: 'name', text: name });
    else if (parameter !== undefined) words.push({ kind: 'parameter', text: parameter });
    else if (sign !== undefined) words.push({ kind: 'sign', text: sign });
    else if (literal !== undefined) {
      const value = stringOf(literal);
      if (value === undefined) return undefined;
      words.push({ kind: 'string', text: value });
    }
  }
  return words;
}

/** The escapes of the language are those of JSON and `\'`. */
function stringOf(literal: string): string | undefined {
  const inner = literal.slice(1, -1).replaceAll("\\'", "'").replaceAll(/\\?"/g, '\\"');
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return undefined;
  }
}

function recognise(words: readonly Word[], parameters: Parameters): RecognisedQuery | undefined {
  const reader = new WordReader(words, parameters);
  if (!(reader.takeName('select') && reader.takeSign('*') && reader.takeName('from'))) return undefined;
  const source = reader.takeAnyName();
  if (source === undefined || keywords.has(source.toLowerCase())) return undefined;
  if (reader.isAtEnd) return { kind: 'all' };
  const alias = reader.takeAlias() ?? source;
  if (reader.isAtEnd) return { kind: 'all' };
  if (!reader.takeName('where')) return undefined;
  if (reader.takeName('startswith')) {
    if (!(reader.takeSign('(') && reader.takeMember(alias, 'id') && reader.takeSign(','))) return undefined;
    const prefix = reader.takeText();
    return prefix !== undefined && reader.takeSign(')') && reader.isAtEnd ? { kind: 'id-prefix', prefix } : undefined;
  }
  if (!(reader.takeMember(alias, 'resource') && reader.takeSign('='))) return undefined;
  const resource = reader.takeText();
  return resource !== undefined && reader.isAtEnd ? { kind: 'resource', resource } : undefined;
}

const keywords: ReadonlySet<string> = new Set(['where', 'order', 'group', 'join', 'in', 'as', 'offset', 'limit']);

class WordReader {
  readonly #words: readonly Word[];
  readonly #parameters: Parameters;
  #at = 0;

  constructor(words: readonly Word[], parameters: Parameters) {
    this.#words = words;
    this.#parameters = parameters;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#words.length;
  }

  /** A keyword or the name of a function, whose case does not matter. */
  takeName(name: string): boolean {
    const word = this.#words[this.#at];
    return this.#took(word?.kind === 'name' && word.text.toLowerCase() === name);
  }

  takeSign(sign: string): boolean {
    const word = this.#words[this.#at];
    return this.#took(word?.kind === 'sign' && word.text === sign);
  }

  takeAnyName(): string | undefined {
    const word = this.#words[this.#at];
    return this.#took(word?.kind === 'name') ? word?.text : undefined;
  }

  takeAlias(): string | undefined {
    this.takeName('as');
    const word = this.#words[this.#at];
    if (word?.kind !== 'name' || keywords.has(word.text.toLowerCase())) return undefined;
    this.#at += 1;
    return word.text;
  }

  /** `alias.name`, in its own case, as members have it. */
  takeMember(alias: string, name: string): boolean {
    return this.takeAnyName() === alias && this.takeSign('.') && this.takeAnyName() === name;
  }

  takeText(): string | undefined {
    const word = this.#words[this.#at];
    this.#at += 1;
    if (word?.kind === 'string') return word.text;
    const value = word?.kind === 'parameter' ? this.#parameters.get(word.text) : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  #took(isTaken: boolean): boolean {
    if (isTaken) this.#at += 1;
    return isTaken;
  }
}
