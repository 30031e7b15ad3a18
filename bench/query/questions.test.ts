import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { documentBytes, idOf, partitionKeyOf } from '../engine/documents.ts';
import { orderOf, textOf } from './documents.ts';
import { answersFor, asked, checkAnswer } from './questions.ts';

test('every document has a kilobyte, and the id and key that the other benches read it by', () => {
  for (const n of [0, 1, 9_999, 10_000, 999_999]) {
    expect(Buffer.byteLength(textOf(n))).toBe(documentBytes);
    expect(orderOf(n)).toMatchObject({ id: idOf(n), customerId: partitionKeyOf(n) });
    expect(orderOf(n)).toEqual(orderOf(n));
  }
});

const documents = 5_000;
const answers = answersFor(documents);

test('every question has an answer that is neither nothing nor everything', () => {
  expect(answers.filter.length).toBeGreaterThan(0);
  expect(answers.filter.length).toBeLessThan(documents / 100);
  expect(answers.count).toBeGreaterThan(documents / 100);
  expect(answers.count).toBeLessThan(documents / 2);
  expect(answers.group).toHaveLength(40);
  expect(answers.top).toHaveLength(10);
  expect(asked.least).toBeLessThan(Number(answers.top[9]?.['total']));
});

test('an answer is right in whatever order its rows come, and however its sums were rounded', () => {
  const shuffled = answers.group.map((row) => ({ ...row, total: Number(row['total']) + 1e-6 })).reverse();

  expect(() => checkAnswer('filter', [...answers.filter].reverse(), answers)).not.toThrow();
  expect(() => checkAnswer('group', shuffled, answers)).not.toThrow();
  expect(() => checkAnswer('count', answers.count, answers)).not.toThrow();
});

test('an answer is wrong when a row is missing, a count is one off, or the order is another', () => {
  const [first, ...others] = answers.group;
  const more = { ...first, orders: Number(first?.['orders']) + 1 };

  expect(() => checkAnswer('filter', answers.filter.slice(1), answers)).toThrow('The answer to "filter" is wrong');
  expect(() => checkAnswer('group', [more, ...others], answers)).toThrow('The answer to "group" is wrong');
  expect(() => checkAnswer('count', answers.count + 1, answers)).toThrow('The answer to "count" is');
  expect(() => checkAnswer('top', [...answers.top].reverse(), answers)).toThrow('The answer to "top" is wrong');
});
