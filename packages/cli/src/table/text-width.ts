// How many cells of a terminal a text takes. A table is crooked where names in Chinese, accents or emoji count as letters.

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const empty = /[\p{Mark}\p{Format}]/u;

export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const letter of text) width += cellsOf(letter);
  return width;
}

/** At most `widthMax` cells, at least one; `…` stands for what was cut off. */
export function cutTo(text: string, widthMax: number): string {
  // No letter takes less than nothing, so most texts need not be measured.
  if (isPlain(text) ? text.length <= widthMax : widthOf(text) <= widthMax) return text;
  let width = 0;
  let end = 0;
  for (const letter of text) {
    width += cellsOf(letter);
    if (width > widthMax - 1) break;
    end += letter.length;
  }
  return `${text.slice(0, end)}…`;
}

export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${text}${blanks}` : `${blanks}${text}`;
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function cellsOf(letter: string): number {
  if (empty.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}
