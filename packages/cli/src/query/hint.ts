// What was probably meant, in one line below a mistake: for people who know another SQL. The service's own words stay above it.
//
// A mistake is known by its code and its place. The table is looked through from its top; what has nothing to say is passed over.

import { suggestion } from '../nearest.ts';
import { foreignFunctions, functionNames } from './function-names.ts';
import { withoutTexts } from './statements.ts';

export interface PlacedMistake {
  readonly code: string | undefined;
  readonly message: string;
  readonly location: { readonly start: number; readonly end: number } | undefined;
}

/** Empty where nobody can tell. */
export function hintFor({ code, message, location }: PlacedMistake, text: string): string {
  // Wire: this one has neither code nor place (query 6).
  if (code === undefined) return message.includes('composite index') ? compositeHint(text) : '';
  if (location === undefined) return '';
  const around = placed(text, location.start, location.end);
  for (const [of, place, advice] of hints) {
    const found = of.test(code) ? place.exec(around) : null;
    if (found === null) continue;
    const said = advice(
      found.slice(1).map((group: string | undefined) => group ?? ''),
      text,
    );
    if (said !== '') return said;
  }
  return '';
}

type Hint = readonly [code: RegExp, place: RegExp, advice: (groups: readonly string[], text: string) => string];

const syntax = /^SC100[12]$/;
const name = /^SC2001$/;

/** ⟦ and ⟧ stand around the place. */
const hints: readonly Hint[] = [
  [
    syntax,
    /([a-z_][\w.[\]"]*)\.\s*⟦([a-z]+)⟧((?:-\w+)*)/i,
    ([owner, word, rest]) => `A keyword behind a dot has to be quoted: ${owner}["${word}${rest}"].`,
  ],
  [syntax, /\bCOUNT\s*\(\s*⟦\*⟧/i, () => 'Documents are counted by COUNT(1).'],
  [
    syntax,
    /(\S+)\s+⟦IS⟧\s+NULL\b/i,
    ([x]) => `Write ${x} = null or IS_NULL(${x}). What has no ${x} at all is found by NOT IS_DEFINED(${x}).`,
  ],
  [syntax, /(\S+)\s+⟦IS⟧\s+NOT\s+NULL\b/i, ([x]) => `Write ${x} != null. IS_DEFINED(${x}) finds null as well.`],
  [
    syntax,
    /(\S+)\s+⟦IS⟧\s+(NOT\s+)?(?:DEFINED|MISSING)\b/i,
    ([x]) => `Write IS_DEFINED(${x}) or NOT IS_DEFINED(${x}).`,
  ],
  [syntax, /=⟦=⟧|⟦==⟧/, () => 'Equality is one sign: =.'],
  [syntax, /⟦&&?⟧/, () => 'Write AND.'],
  [syntax, /⟦LIMIT⟧\s+(\w+)\s*,\s*(\w+)/i, ([from, n]) => `Write OFFSET ${from} LIMIT ${n}.`],
  [syntax, /⟦LIMIT⟧\s+(@?\w+)/i, ([n]) => `Write OFFSET 0 LIMIT ${n} at the end, or SELECT TOP ${n} at the beginning.`],
  [syntax, /\bOFFSET\s+(@?\w+)\s*⟦/i, ([n]) => `OFFSET has a LIMIT behind it: OFFSET ${n} LIMIT 10.`],
  [
    syntax,
    /(\S+)\s+(NOT\s+)?IN\s*⟦(@\w+)⟧/i,
    ([x, not, list]) => `Write ${not && 'NOT '}ARRAY_CONTAINS(${list}, ${x}).`,
  ],
  [syntax, /⟦HAVING⟧/i, () => aroundGroups('WHERE')],
  [syntax, /\bJOIN\s+[\w.]+(?:\s+\w+)*\s+ON\s*⟦/i, () => 'A JOIN goes over a list of the document: JOIN x IN c.items.'],
  [syntax, /\bAS\s+⟦([a-z]+)⟧/i, ([word]) => `${word} is a keyword and no name.`],
  [syntax, /,\s*⟦FROM⟧/i, () => 'Before FROM there is a comma too many.'],
  [syntax, /\bLIKE\s*⟦%⟧/i, () => "A pattern is quoted: LIKE '%text%'."],
  [
    syntax,
    /^\s*⟦(?:INSERT|UPDATE|DELETE|UPSERT)⟧/i,
    () => 'A query only reads: tidemark put writes documents, and tidemark rm removes them.',
  ],
  [syntax, /^\s*⟦EXPLAIN⟧/i, () => 'Give --explain, or \\explain at the prompt.'],
  // A word behind a source is its alias, whatever was meant by it.
  [syntax, /[\w)\]]\s+([a-z]{3,})\s*⟦/i, ([word]) => nearKeyword(word)],
  [syntax, /⟦([a-z]{2,})⟧/i, ([word]) => nearKeyword(word)],
  [name, /⟦(true|false|null|undefined)⟧/i, ([word = '']) => `Write ${word.toLowerCase()}: here case matters.`],
  [name, /⟦@(\w+)⟧/, ([word]) => `Give it a value: --param ${word}=…, or \\param ${word}=… at the prompt.`],
  [
    name,
    /([a-z_][\w.[\]"]*)\.(\w+(?:-\w+)*)-⟦(\w+)⟧((?:-\w+)*)/i,
    ([owner, first, last, rest]) => `A name with a hyphen has to be quoted: ${owner}["${first}-${last}${rest}"].`,
  ],
  [name, /⟦(\w+)⟧((?:\.\w+)*)(\s*\[)?/, unresolvedHint],
  [/^SC2005$/, /⟦(\w+)\s*(?:\(|⟧)/, ([word = '']) => functionHint(word)],
  [/^SC2102$/, /⟦(\w+(?:\.\w+)+)⟧/, ([path]) => `GROUP BY ${path} makes a row of each ${path}.`],
  [/^SC2104$/, /⟦/, () => aroundGroups('WHERE')],
  [/^SC2105$/, /⟦/, () => aroundGroups('ORDER BY')],
];

/** As much of the text as a mistake is about. */
const aroundMax = 200;

function placed(text: string, start: number, end: number): string {
  const place = text.slice(start, Math.min(end, start + aroundMax));
  return `${text.slice(Math.max(0, start - aroundMax), start)}⟦${place}⟧${text.slice(end, end + aroundMax)}`;
}

function aroundGroups(clause: string): string {
  return `Put a query around it: SELECT * FROM (SELECT … GROUP BY …) AS g ${clause} g.…`;
}

const keywords: readonly string[] = [
  ...[
    'FROM',
    'SELECT',
    'WHERE',
    'ORDER',
    'ORDER BY',
    'GROUP',
    'GROUP BY',
    'AND',
    'OR',
    'NOT',
    'LIKE',
    'BETWEEN',
    'JOIN',
  ],
  ...['DISTINCT', 'OFFSET', 'LIMIT', 'VALUE', 'EXISTS', 'DESC', 'ASC', 'TOP', 'AS', 'IN', 'BY'],
];

function nearKeyword(word: string = ''): string {
  return keywords.includes(word.toUpperCase()) ? '' : suggestion(word, keywords).trim();
}

function functionHint(word: string): string {
  const foreign = foreignFunctions.get(word.toUpperCase());
  return foreign === undefined ? suggestion(word, functionNames).trim() : `Write ${foreign}.`;
}

/** A member without its alias, a text without its quotes, or another alias. */
function unresolvedHint([word = '', members, bracket]: readonly string[], text: string): string {
  const plain = withoutTexts(text);
  if (new RegExp(`\\bAS\\s+${word}\\b`, 'i').test(plain)) return resultHint(word, plain);
  const alias = aliasIn(plain);
  if (alias === undefined) return '';
  if (members !== '' || bracket !== '') return `The alias here is ${alias}: ${alias}${members || '[…]'}.`;
  const isValue = new RegExp(`(?:[=<>]|\\bLIKE)\\s*${word}\\b|\\(\\s*[^()]*,\\s*${word}\\s*[,)]`).test(plain);
  return isValue ? `Did you mean the text '${word}', or ${alias}.${word}?` : `Did you mean ${alias}.${word}?`;
}

function resultHint(word: string, plain: string): string {
  if (/\bGROUP\s+BY\b/i.test(plain)) return aroundGroups('ORDER BY');
  return `${word} is a name of the result and not known here: write what stands before AS.`;
}

/** Of the only source there is. */
function aliasIn(plain: string): string | undefined {
  const sources = [...plain.matchAll(/\bFROM\s+([a-z_]\w*)((?:\.\w+)*)(?:\s+(?:AS\s+)?([a-z_]\w*))?/gi)];
  const [source] = sources;
  if (source === undefined || plain.match(/\bFROM\b/gi)?.length !== 1) return undefined;
  const [, root, path = '', alias] = source;
  if (alias !== undefined && !keywords.includes(alias.toUpperCase())) return alias;
  return path === '' || alias?.toUpperCase() === 'IN' ? root : path.slice(path.lastIndexOf('.') + 1);
}

function compositeHint(text: string): string {
  const [, list = ''] = /\bORDER\s+BY\s+([\w.,\s]+?)\s*(?:OFFSET\b.*)?$/is.exec(text) ?? [];
  const paths = list.split(',').map((item) => {
    const [, path = '', direction = ''] = /^\s*\w+((?:\.\w+)+)(?:\s+(ASC|DESC))?\s*$/i.exec(item) ?? [];
    const order = direction.toUpperCase() === 'DESC' ? 'descending' : 'ascending';
    return path === '' ? '' : `{"path":"${path.replaceAll('.', '/')}","order":"${order}"}`;
  });
  const index = paths.includes('') ? '{"path":…,"order":"ascending"},…' : paths.join(',');
  return `Its indexing policy needs "compositeIndexes":[[${index}]]: set by the SDK, or by tidemark create --policy FILE.`;
}
