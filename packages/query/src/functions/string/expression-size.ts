// How large a regular expression becomes when it is compiled, found out before it is: `a{1000}` is a thousand instructions. It may be
// too much, and is never much too little; what is no expression has some size too.

export interface ExpressionSize {
  readonly instructions: number;
  /** Classes of Unicode, each of which is hundreds of ranges. */
  readonly classes: number;
}

export function expressionSize(pattern: string): ExpressionSize {
  let classes = 0;
  /** Of each group that is open what is in it already. */
  const groups = [4];
  let atom = 0;
  const add = (size: number): void => {
    groups[groups.length - 1] = (groups.at(-1) ?? 0) + size;
  };
  let at = 0;
  while (at < pattern.length) {
    const { kind, end, times, unicode } = tokenAt(pattern, at);
    at = end;
    classes += unicode;
    if (kind === 'open') groups.push(2);
    else if (kind === 'repeat') add(atom * (times - 1) + times);
    else if (kind === 'operator') add(2);
    else {
      atom = kind === 'close' && groups.length > 1 ? (groups.pop() ?? 0) : 1;
      add(atom);
    }
  }
  return { instructions: groups.reduce((sum, size) => sum + size, 0), classes };
}

interface Token {
  readonly kind: 'atom' | 'open' | 'close' | 'repeat' | 'operator';
  readonly end: number;
  /** Of a repetition. */
  readonly times: number;
  readonly unicode: number;
}

function tokenAt(pattern: string, at: number): Token {
  const token = (kind: Token['kind'], end = at + 1, times = 1, unicode = 0): Token => ({ kind, end, times, unicode });
  switch (pattern.charAt(at)) {
    case '\\': {
      const named = matchAt(/\\[pPx]\{[^}]*\}/y, pattern, at);
      const isUnicode = /[pP]/.test(pattern.charAt(at + 1));
      return token('atom', at + (named?.[0].length ?? 2), 1, Number(isUnicode));
    }
    case '[': {
      const set = matchAt(/\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y, pattern, at);
      return set === undefined
        ? token('atom', pattern.length) // It is never closed, and no expression.
        : token('atom', at + set[0].length, 1, set[0].split(/\\[pP]/).length - 1);
    }
    case '(':
      return token('open');
    case ')':
      return token('close');
    case '{': {
      const repeat = matchAt(/\{(\d{1,6})(,?)(\d{0,6})\}/y, pattern, at);
      if (repeat === undefined) return token('atom');
      const [text, least = '', comma, most = ''] = repeat;
      const times = Math.max(Number(least), Number(most)) + Number(comma !== '');
      return token('repeat', at + text.length, Math.max(1, times));
    }
    case '*':
    case '+':
    case '?':
    case '|':
      return token('operator');
    default:
      return token('atom');
  }
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | undefined {
  form.lastIndex = at;
  return form.exec(text) ?? undefined;
}
