// How deep a JSON text nests, before it is parsed: whoever walks through the value would need a stack of that depth.

/** Counted no further than one beyond the limit. */
export function depthIn(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let at = 0;
  while (at < text.length && deepest <= limit) {
    const code = text.charCodeAt(at);
    at += 1;
    if (code === quote) at = stringEnd(text, at);
    else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return deepest;
}

/** Behind the closing quote, or the end where there is none. */
function stringEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at + 1;
    at += 1;
  }
  return at;
}

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
