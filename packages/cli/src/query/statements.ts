// Where one query ends and the next begins: at a semicolon that is in no string and in no comment. The language itself has none.

export interface Split {
  /** Without their semicolons; those that say nothing are left out. */
  readonly statements: readonly string[];
  /** What has no semicolon behind it yet. */
  readonly rest: string;
}

export function splitStatements(text: string): Split {
  const statements: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"' || letter === "'") at = endOfString(text, at, letter);
    else if (letter === '-' && text[at + 1] === '-') at = endOfLine(text, at);
    else if (letter === ';') {
      statements.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return { statements: statements.filter(saysSomething), rest: text.slice(from) };
}

/** More than blanks and comments. */
export function saysSomething(text: string): boolean {
  return text.replaceAll(/--[^\n]*/g, '').trim() !== '';
}

/** Without what stands in quotes or is a comment. */
export function withoutTexts(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|--[^\n]*/gs, ' ');
}

/** The place of the closing quote. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
