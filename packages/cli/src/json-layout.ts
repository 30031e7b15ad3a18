// JSON text with other blanks between its parts. It is never parsed: numbers beyond 15 digits, and names that stand twice, stay as they
// are written.

/** Strings, single signs, and everything else that is no blank. The pattern of strings goes through megabytes without going back. */
const parts = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** On one line, without blanks. */
export function compactJson(text: string): string {
  return /\s/.test(text) ? (text.match(parts) ?? []).join('') : text;
}

/** Each member and element on a line of its own, two blanks deeper than what it is in. */
export function indentedJson(text: string): string {
  let out = '';
  let depth = 0;
  let before = '';
  for (const [part] of text.matchAll(parts)) {
    const isOpen = before === '{' || before === '[';
    if (part === '}' || part === ']') {
      depth -= 1;
      out += isOpen ? part : `${lineAt(depth)}${part}`;
    } else {
      if (isOpen || before === ',') out += lineAt(depth);
      out += part === ':' ? ': ' : part;
      if (part === '{' || part === '[') depth += 1;
    }
    before = part;
  }
  return out;
}

function lineAt(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
