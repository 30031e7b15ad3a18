// The code that documents show.

import { readText } from './source-tree.ts';

/** The first one of a language that has the word in it. */
export function snippetOf(document: string, language: string, word: string): string {
  const found = snippetsOf(document, language).find((block) => block.includes(word));
  if (found === undefined) throw new Error(`${document} has no ${language} snippet with ${word}`);
  return found;
}

export function snippetsOf(document: string, language: string): string[] {
  const blocks = readText(document).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map((match) => match[1] ?? '');
}
