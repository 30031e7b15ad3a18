// The stem of an English word, by the stemmer that is known as Porter 2 or Snowball English: suffixes are taken off, or replaced,
// in steps. What a step may take is in a region of the word, so that something like a stem remains: R1 begins behind the first
// consonant that follows a vowel, and R2 is the same again, within R1. Regions are counted from the start, and so stay as they are.

export function stemOf(word: string): string {
  if (word.length <= 2 || !/^[a-z']+$/.test(word)) return word;
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  // A y that is a consonant is written as Y.
  const marked = word
    .replace(/^'/, '')
    .replace(/^y/, 'Y')
    .replace(/([aeiouy])y/g, '$1Y');
  const regions = regionsOf(marked);
  const singular = withoutPlural(marked.replace(/'s?'?$/, ''));
  if (finished.has(singular)) return singular;
  let stem = withoutPast(singular, regions);
  stem = stem.replace(/(.[^aeiouy])[yY]$/, '$1i');
  for (const suffixes of [secondSuffixes, thirdSuffixes, fourthSuffixes]) stem = withoutSuffix(stem, suffixes, regions);
  return withoutEnd(stem, regions).replaceAll('Y', 'y');
}

interface Regions {
  readonly r1: number;
  readonly r2: number;
}

function regionsOf(word: string): Regions {
  const prefix = /^(?:gener|commun|arsen)/.exec(word);
  const r1 = prefix === null ? regionFrom(word, 0) : prefix[0].length;
  return { r1, r2: regionFrom(word, r1) };
}

function regionFrom(word: string, start: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(start));
  return found === null ? word.length : start + found.index + 2;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[sd]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word)) return word;
  return word.endsWith('s') && /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPast(word: string, { r1 }: Regions): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed !== null) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (suffix === null) return word;
  const stem = word.slice(0, suffix.index);
  if (!/[aeiouy]/.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return stem.slice(0, -1);
  return r1 >= stem.length && shortEnd.test(stem) ? `${stem}e` : stem;
}

/** A vowel between consonants, of which the last is not w, x or Y; or a vowel at the start, and a consonant. */
const shortEnd = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;

/** The longest that fits is replaced, when it is in its region; shorter ones are not tried then. */
interface Suffix {
  readonly suffix: string;
  readonly by: string;
  readonly region: keyof Regions;
  /** What has to be in front of it. */
  readonly after?: RegExp;
}

function withoutSuffix(word: string, suffixes: readonly Suffix[], regions: Regions): string {
  const found = suffixes.find(({ suffix }) => word.endsWith(suffix));
  if (found === undefined) return word;
  const start = word.length - found.suffix.length;
  const stem = word.slice(0, start);
  const isTaken = start >= regions[found.region] && (found.after === undefined || found.after.test(stem));
  return isTaken ? stem + found.by : word;
}

function withoutEnd(word: string, { r1, r2 }: Regions): string {
  const start = word.length - 1;
  const stem = word.slice(0, -1);
  if (word.endsWith('e')) return start >= r2 || (start >= r1 && !shortEnd.test(stem)) ? stem : word;
  return word.endsWith('ll') && start >= r2 ? stem : word;
}

const secondSuffixes = table('r1', {
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  abli: 'able',
  entli: 'ent',
  izer: 'ize',
  ization: 'ize',
  ational: 'ate',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  aliti: 'al',
  alli: 'al',
  fulness: 'ful',
  ousli: 'ous',
  ousness: 'ous',
  iveness: 'ive',
  iviti: 'ive',
  biliti: 'ble',
  bli: 'ble',
  ogi: 'og',
  fulli: 'ful',
  lessli: 'less',
  li: '',
}).map((suffix) => withCondition(suffix, { ogi: /l$/, li: /[cdeghkmnrt]$/ }));

const thirdSuffixes = table('r1', {
  tional: 'tion',
  ational: 'ate',
  alize: 'al',
  icate: 'ic',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
  ative: '',
}).map((suffix): Suffix => (suffix.suffix === 'ative' ? { ...suffix, region: 'r2' } : suffix));

const fourthSuffixes = table('r2', {
  ...Object.fromEntries(
    [
      'al',
      'ance',
      'ence',
      'er',
      'ic',
      'able',
      'ible',
      'ant',
      'ement',
      'ment',
      'ent',
      'ism',
      'ate',
      'iti',
      'ous',
      'ive',
      'ize',
      'ion',
    ].map((suffix) => [suffix, '']),
  ),
}).map((suffix) => withCondition(suffix, { ion: /[st]$/ }));

/** The longest first. */
function table(region: keyof Regions, suffixes: Readonly<Record<string, string>>): readonly Suffix[] {
  return Object.entries(suffixes)
    .map(([suffix, by]) => ({ suffix, by, region }))
    .toSorted((a, b) => b.suffix.length - a.suffix.length);
}

function withCondition(suffix: Suffix, conditions: Readonly<Record<string, RegExp>>): Suffix {
  const after = conditions[suffix.suffix];
  return after === undefined ? suffix : { ...suffix, after };
}

const knownStems: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
]);

/** Of these nothing more is taken off. */
const finished: ReadonlySet<string> = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);
