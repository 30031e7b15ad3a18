import { expect, test } from 'vitest';
import type { Value } from '../value/value.ts';
import { fullTextFunctions } from './full-text.ts';
import { isOfType, signatureOf, typeAt } from './signature.ts';

const border = 'Border Collies are intelligent, energetic herders skilled in outdoor activities.';
const poodle = 'Standard Poodles are intelligent, energetic learners excelling in agility.';
const shepherd = 'Australian Shepherds are agile, energetic herders excelling in outdoor tasks.';
const golden = 'Golden Retrievers are friendly, loyal companions with excellent retrieving skills.';

test('[query 3.10] texts are found that contain any, all or one of the words, as the service finds them', () => {
  const any = [border, poodle, shepherd, golden].filter((text) =>
    call('FullTextContainsAny', text, 'intelligent', 'herders'),
  );
  const all = [border, poodle, shepherd, golden].filter((text) =>
    call('FullTextContainsAll', text, 'intelligent', 'herders'),
  );
  const one = [border, poodle, shepherd, golden].filter((text) => call('FullTextContains', text, 'energetic'));

  expect(any).toEqual([border, poodle, shepherd]);
  expect(all).toEqual([border]);
  expect(one).toEqual([border, poodle, shepherd]);
});

test('[query 3.10] words are whole words, in any case and between any signs', () => {
  expect(call('FullTextContains', 'Sport-100 Helmet, Red', 'helmet')).toBe(true);
  expect(call('FullTextContains', 'Sport-100 Helmet, Red', 'SPORT')).toBe(true);
  expect(call('FullTextContains', 'Sport-100 Helmet, Red', '100')).toBe(true);
  expect(call('FullTextContains', 'Sport-100 Helmet, Red', 'helm')).toBe(false);
  expect(call('FullTextContains', 'ÜBERMUT tut selten gut', 'übermut')).toBe(true);
  expect(call('FullTextContains', 'cafe\u0301', 'caf\u00e9')).toBe(true);
});

test('[query 3.10] all forms of a word are the same word', () => {
  expect(call('FullTextContains', 'Two helmets', 'helmet')).toBe(true);
  expect(call('FullTextContains', 'A helmet', 'helmets')).toBe(true);
  expect(call('FullTextContains', 'I went swimming', 'swim')).toBe(true);
  expect(call('FullTextContains', "John's bicycle", 'john')).toBe(true);
  expect(call('FullTextContains', 'John’s bicycle', 'john')).toBe(true);
  expect(call('FullTextContains', 'universal', 'universe')).toBe(true);
  expect(call('FullTextContains', 'relate', 'relay')).toBe(false);
});

test('[query 3.10] several words are a phrase, in their order and without others in between', () => {
  const text = 'developed in the United States in the 19th century';

  expect(call('FullTextContains', text, 'United States')).toBe(true);
  expect(call('FullTextContains', text, 'united   STATE')).toBe(true);
  expect(call('FullTextContains', text, 'States United')).toBe(false);
  expect(call('FullTextContains', text, 'United century')).toBe(false);
  expect(call('FullTextContainsAll', text, '19th century', 'United States')).toBe(true);
  expect(call('FullTextContains', 'red red blue', 'red blue')).toBe(true);
  expect(call('FullTextContains', 'red red red blue green', 'red red blue')).toBe(true);
  expect(call('FullTextContains', 'red blue red blue red green', 'red blue red green')).toBe(true);
});

test('[query 3.10] stop words are in no text, and between no others', () => {
  expect(call('FullTextContains', 'The state of the art', 'the')).toBe(false);
  expect(call('FullTextContains', 'The state of the art', 'state art')).toBe(true);
  expect(call('FullTextContains', 'State art', 'the state of the art')).toBe(true);
  expect(call('FullTextContainsAll', 'The art', 'the', 'art')).toBe(false);
  expect(call('FullTextContainsAny', 'The art', 'the', 'art')).toBe(true);
  expect(call('FullTextContains', "I don't swim", "don't")).toBe(false);
});

test('[query 3.10] nothing is in an empty text, and an empty phrase is in none', () => {
  expect(call('FullTextContains', '', 'red')).toBe(false);
  expect(call('FullTextContains', 'red', '')).toBe(false);
  expect(call('FullTextContains', 'red', ' - ')).toBe(false);
});

test('[query 3.10] what is no string makes the functions undefined', () => {
  expect(call('FullTextContains', 5, 'five')).toBeUndefined();
  expect(call('FullTextContains', undefined, 'five')).toBeUndefined();
  expect(call('FullTextContains', 'five', null)).toBeUndefined();
  expect(call('FullTextContainsAll', 'five', 'five', 5)).toBeUndefined();
  expect(call('FullTextContainsAny', ['five'], 'five')).toBeUndefined();
});

test('[query 3.10] a long repetition is searched in one go', () => {
  const text = 'xx '.repeat(50_000);

  expect(call('FullTextContains', text, `${'xx '.repeat(20_000)} yy`)).toBe(false);
  expect(call('FullTextContains', `${text} yy`, `${'xx '.repeat(20_000)} yy`)).toBe(true);
});

const context = { nowMs: () => 0, startMs: 0, random: () => 0 };

function call(name: string, ...args: readonly Value[]): Value {
  const found = fullTextFunctions.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no function ${name}`);
  const signature = signatureOf(found.takes);
  const fits = args.every((arg, place) => isOfType(arg, typeAt(signature, place)));
  return fits ? found.call(args, context) : undefined;
}
