import { expect, test } from 'vitest';
import { stemOf } from './stem.ts';

test('[query 3.10] the stems of words are those that the stemmer publishes', () => {
  const published = `
    meekness meek   meetings meet   melodiously melodi   melody melodi   membranous membran   memorial memori   memories memori
    mendacious mendaci   mentally mental   mercenary mercenari   mercifully merci   mercilessly merciless   merged merg
    meritoriously meritori   merrily merrili   mesmerism mesmer   messages messag   metallic metal   metaphysical metaphys
    methodically method   metropolis metropoli   michaelmas michaelma   middling middl   migration migrat   migratory migratori
    mildewed mildew   mildness mild   militia militia   millennium millennium   mimicking mimick   mindedness minded
    mineralogical mineralog   minorities minor   ministration ministr   mirthfulness mirth   misbehaving misbehav
    misdeeds misde   misled misl   missus missus   mistakenly mistaken   mitigation mitig   misunderstanding misunderstand`;
  const pairs = published
    .trim()
    .split(/\s{2,}/)
    .map((pair) => pair.split(' '));

  for (const [word, stem] of pairs) expect(stemOf(word ?? '')).toBe(stem);
});

test('[query 3.10] each step of the stemmer takes what it should, and only there', () => {
  const stems: Readonly<Record<string, string>> = {
    caresses: 'caress',
    ties: 'tie',
    cries: 'cri',
    gaps: 'gap',
    gas: 'gas',
    this: 'this',
    agreed: 'agre',
    feed: 'feed',
    luxuriating: 'luxuri',
    hopping: 'hop',
    hoping: 'hope',
    sing: 'sing',
    say: 'say',
    cry: 'cri',
    by: 'by',
    youth: 'youth',
    boyish: 'boyish',
    rational: 'ration',
    conditional: 'condit',
    sensibility: 'sensibl',
    analogy: 'analog',
    quickly: 'quick',
    electricity: 'electr',
    formative: 'format',
    talkative: 'talkat',
    adoption: 'adopt',
    generously: 'generous',
    communism: 'communism',
    arsenal: 'arsenal',
    rate: 'rate',
    controlling: 'control',
    roll: 'roll',
    "john's": 'john',
    "boys'": 'boy',
    "'tis": 'tis',
  };

  for (const [word, stem] of Object.entries(stems)) expect(stemOf(word)).toBe(stem);
});

test('[query 3.10] exceptions are as they are listed', () => {
  expect(['skies', 'dying', 'idly', 'news', 'herring', 'herrings', 'proceeded'].map(stemOf)).toEqual([
    'sky',
    'die',
    'idl',
    'news',
    'herring',
    'herring',
    'proceed',
  ]);
});

test('[query 3.10] what is no English word is its own stem', () => {
  expect(['größen', '2024', 'x', 'ab', "l'été"].map(stemOf)).toEqual(['größen', '2024', 'x', 'ab', "l'été"]);
});
