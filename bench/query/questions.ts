// What is asked, and what the right answer is: everybody's is held to it before anything is measured.

import type { Order } from './documents.ts';
import { cityOf, orderOf } from './documents.ts';

export type QuestionId = 'filter' | 'count' | 'group' | 'top' | 'point';

export interface Question {
  readonly id: QuestionId;
  readonly label: string;
  /** What its figure counts, a second. */
  readonly unit: 'documents' | 'answers';
}

export const questions: readonly Question[] = [
  { id: 'filter', label: 'scan with a filter, few hits', unit: 'documents' },
  { id: 'count', label: 'COUNT with a filter', unit: 'documents' },
  { id: 'group', label: 'GROUP BY', unit: 'documents' },
  { id: 'top', label: 'ORDER BY … TOP 10', unit: 'documents' },
  { id: 'point', label: 'one document by partition key and id', unit: 'answers' },
];

export function questionOf(id: QuestionId): Question {
  return questions.find((question) => question.id === id) as Question; // Every id has one.
}

/** In the language of Cosmos. */
export const cosmosTexts: Readonly<Record<QuestionId, string>> = {
  filter: 'SELECT c.id, c.total FROM c WHERE c.customer.address.city = @city AND c.total > @least',
  count: 'SELECT VALUE COUNT(1) FROM c WHERE c.status = @status AND c.total > @least',
  group:
    'SELECT c.customer.address.country, COUNT(1) AS orders, SUM(c.total) AS total FROM c GROUP BY c.customer.address.country',
  top: 'SELECT TOP 10 c.id, c.total FROM c ORDER BY c.total DESC',
  point: 'SELECT * FROM c WHERE c.customerId = @customer AND c.id = @id',
};

/** The same for every dialect; `point` has its own for each call. */
export const asked: { readonly city: string; readonly least: number; readonly status: string } = {
  city: cityOf(417),
  least: 1_000,
  status: 'returned',
};

/** Rows in any order but for `top`, members as below. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

export interface Answers {
  readonly filter: Rows;
  readonly count: number;
  readonly group: Rows;
  readonly top: Rows;
}

export function answersFor(documents: number): Answers {
  const filter: { id: string; total: number }[] = [];
  const groups = new Map<string, { orders: number; total: number }>();
  let top: { id: string; total: number }[] = [];
  let count = 0;
  for (let n = 0; n < documents; n += 1) {
    const order: Order = orderOf(n);
    const { id, total, status, customer } = order;
    const { city, country } = customer.address;
    if (city === asked.city && total > asked.least) filter.push({ id, total });
    if (status === asked.status && total > asked.least) count += 1;
    const group = groups.get(country) ?? { orders: 0, total: 0 };
    groups.set(country, { orders: group.orders + 1, total: group.total + total });
    if (top.length < 10 || total > (top.at(-1) as { total: number }).total) {
      top = [...top, { id, total }].sort((a, b) => b.total - a.total).slice(0, 10);
    }
  }
  return { filter, count, group: [...groups].map(([country, sums]) => ({ country, ...sums })), top };
}

/** Throws where an answer is not the right one. Sums may differ in their last digits: nobody says in which order to add. */
export function checkAnswer(id: Exclude<QuestionId, 'point'>, answer: Rows | number, answers: Answers): void {
  const expected = answers[id];
  if (typeof answer === 'number' || typeof expected === 'number') {
    if (answer !== expected)
      throw new Error(`The answer to "${id}" is ${JSON.stringify(answer)}, not ${String(expected)}.`);
    return;
  }
  const [got, wanted] =
    id === 'top' ? [answer.map(totalOf), expected.map(totalOf)] : [inOrder(answer), inOrder(expected)];
  if (JSON.stringify(got) === JSON.stringify(wanted)) return;
  throw new Error(
    `The answer to "${id}" is wrong: ${JSON.stringify(got).slice(0, 200)}, not ${JSON.stringify(wanted).slice(0, 200)}`,
  );
}

/** Of equal totals anyone may come first. */
function totalOf(row: Rows[number]): number {
  return Number(row['total']);
}

function inOrder(rows: Rows): string[] {
  return rows
    .map((row) => {
      const total = Math.round(Number(row['total']) * 100) / 100;
      return JSON.stringify([
        row['id'] ?? row['country'],
        row['orders'] === undefined ? null : Number(row['orders']),
        total,
      ]);
    })
    .sort();
}
