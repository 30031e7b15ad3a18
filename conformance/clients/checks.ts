// What the programs of other languages are given to do, and what has to come out.

export type Language = 'python' | 'go' | 'java';

/** One run of a program. */
export interface Setting {
  readonly language: Language;
  /** Cross-partition queries are answered with their plan, as the service does it. */
  readonly planQueries: boolean;
}

/** A line that a program prints. */
export interface Line {
  readonly check: string;
  readonly value?: unknown;
  readonly error?: { readonly status?: number; readonly message: string };
}

export interface AskedQuery {
  readonly name: string;
  readonly query: string;
  readonly parameters?: readonly { readonly name: string; readonly value: unknown }[];
  /** The partition key that the client is told, where it is told one. */
  readonly key?: string;
}

/** What a program is given, as a file of JSON. */
export interface Task {
  readonly database: string;
  readonly orders: readonly Order[];
  readonly queries: readonly (AskedQuery & { readonly page: number })[];
  readonly corpus: readonly (AskedQuery & { readonly page: number; readonly container: string })[];
}

export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly total: number;
  readonly paid: boolean;
  /** Some have none. */
  readonly city?: string;
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
}

const customers = ['ada', 'ben', 'eve', 'kim', 'lee'] as const;
const cities = [undefined, 'Oslo', 'Bern'] as const;

/** The totals are 0 to 23, each once and in no order. */
export const orders: readonly Order[] = Array.from({ length: 24 }, (_, number) => {
  const city = cities[number % cities.length];
  return {
    id: `o${String(number).padStart(2, '0')}`,
    customer: customers[number % customers.length] ?? '',
    total: (number * 7) % 24,
    paid: number % 2 === 0,
    ...(city === undefined ? {} : { city }),
    lines: [
      { sku: 'a', count: number % 4 },
      { sku: 'b', count: 1 },
    ],
  };
});

interface Question extends AskedQuery {
  readonly rows: readonly unknown[];
  /** In this order, not in any. */
  readonly isOrdered?: true;
}

const idsOf = (some: readonly Order[]): string[] => some.map(({ id }) => id);
const upwards: readonly Order[] = orders.toSorted((a, b) => a.total - b.total);
const sum = (some: readonly Order[]): number => some.reduce((all, { total }) => all + total, 0);

const questions: readonly Question[] = [
  {
    name: 'a filter',
    query: 'SELECT VALUE c.id FROM c WHERE c.total > 11 AND NOT c.paid',
    rows: idsOf(orders.filter(({ total, paid }) => total > 11 && !paid)),
  },
  {
    name: 'parameters of every kind',
    query:
      'SELECT VALUE c.id FROM c WHERE c.total > @number AND c.city = @text AND c.paid = @truth ' +
      'AND ARRAY_CONTAINS(@list, c.customer) AND c.lines[1] = @object AND @nothing = null',
    parameters: [
      { name: '@number', value: 2.5 },
      { name: '@text', value: 'Oslo' },
      { name: '@truth', value: true },
      { name: '@list', value: ['ada', 'kim', 'eve'] },
      { name: '@object', value: { sku: 'b', count: 1 } },
      { name: '@nothing', value: null },
    ],
    rows: idsOf(
      orders.filter(
        ({ total, city, paid, customer }) =>
          total > 2.5 && city === 'Oslo' && paid && ['ada', 'kim', 'eve'].includes(customer),
      ),
    ),
  },
  {
    name: 'a partition key beside the query',
    query: 'SELECT VALUE c.id FROM c',
    key: 'eve',
    rows: idsOf(orders.filter(({ customer }) => customer === 'eve')),
  },
  {
    name: 'a partition key in the filter',
    query: 'SELECT VALUE c.id FROM c WHERE c.customer = @customer AND c.total < 20',
    parameters: [{ name: '@customer', value: 'kim' }],
    rows: idsOf(orders.filter(({ customer, total }) => customer === 'kim' && total < 20)),
  },
  {
    name: 'undefined is left out',
    query: 'SELECT c.id, c.city FROM c WHERE c.total IN (0, 1, 7)',
    rows: orders
      .filter(({ total }) => [0, 1, 7].includes(total))
      .map(({ id, city }) => ({ id, ...(city && { city }) })),
  },
  {
    name: 'a join',
    query: "SELECT c.id, l.count FROM c JOIN l IN c.lines WHERE l.sku = 'a' AND l.count > 1",
    rows: orders.flatMap(({ id, lines: [first] }) => (first && first.count > 1 ? [{ id, count: first.count }] : [])),
  },
  {
    name: 'subqueries',
    query:
      'SELECT c.id, ARRAY(SELECT VALUE l.sku FROM l IN c.lines WHERE l.count = 1) AS skus FROM c ' +
      'WHERE EXISTS(SELECT VALUE l FROM l IN c.lines WHERE l.count = 3)',
    rows: orders.filter(({ lines: [first] }) => first?.count === 3).map(({ id }) => ({ id, skus: ['b'] })),
  },
  { name: 'ORDER BY', query: 'SELECT VALUE c.id FROM c ORDER BY c.total', rows: idsOf(upwards), isOrdered: true },
  {
    name: 'ORDER BY downwards',
    query: 'SELECT c.id, c.total FROM c WHERE c.paid ORDER BY c.total DESC',
    rows: upwards
      .filter(({ paid }) => paid)
      .toReversed()
      .map(({ id, total }) => ({ id, total })),
    isOrdered: true,
  },
  {
    name: 'ORDER BY of what some do not have',
    query: 'SELECT VALUE c.city FROM c WHERE IS_DEFINED(c.city) ORDER BY c.city',
    rows: orders.flatMap(({ city }) => city ?? []).sort(),
    isOrdered: true,
  },
  {
    name: 'TOP',
    query: 'SELECT TOP 10 VALUE c.id FROM c ORDER BY c.total DESC',
    rows: idsOf(upwards.toReversed().slice(0, 10)),
    isOrdered: true,
  },
  {
    name: 'OFFSET LIMIT',
    query: 'SELECT VALUE c.id FROM c ORDER BY c.total OFFSET 5 LIMIT 12',
    rows: idsOf(upwards.slice(5, 17)),
    isOrdered: true,
  },
  { name: 'COUNT', query: 'SELECT VALUE COUNT(1) FROM c', rows: [orders.length] },
  {
    name: 'SUM',
    query: 'SELECT VALUE SUM(c.total) FROM c WHERE c.paid',
    rows: [sum(orders.filter(({ paid }) => paid))],
  },
  { name: 'AVG', query: 'SELECT VALUE AVG(c.total) FROM c', rows: [sum(orders) / orders.length] },
  { name: 'MIN', query: 'SELECT VALUE MIN(c.city) FROM c', rows: ['Bern'] },
  { name: 'MAX', query: 'SELECT VALUE MAX(c.total) FROM c', rows: [23] },
  { name: 'MAX of nothing', query: "SELECT VALUE MAX(c.total) FROM c WHERE c.id = 'none'", rows: [] },
  {
    name: 'several aggregates',
    query: 'SELECT COUNT(1) AS orders, SUM(c.total) AS total FROM c',
    rows: [{ orders: orders.length, total: sum(orders) }],
  },
  {
    name: 'GROUP BY',
    query: 'SELECT c.customer, COUNT(1) AS orders, AVG(c.total) AS mean FROM c GROUP BY c.customer',
    rows: customers.map((customer) => {
      const own = orders.filter((order) => order.customer === customer);
      return { customer, orders: own.length, mean: sum(own) / own.length };
    }),
  },
  {
    name: 'DISTINCT',
    query: 'SELECT DISTINCT VALUE c.city FROM c',
    rows: ['Oslo', 'Bern'],
  },
  {
    name: 'DISTINCT in order',
    query: 'SELECT DISTINCT VALUE c.customer FROM c ORDER BY c.customer DESC',
    rows: customers.toReversed(),
    isOrdered: true,
  },
];

export function taskOf(database: string, corpus: readonly (AskedQuery & { readonly container: string })[]): Task {
  const queries = questions.map(({ name, query, parameters, key }) => ({
    ...{ name, query, page: 7 },
    ...(parameters && { parameters }),
    ...(key && { key }),
  }));
  return { database, orders, queries, corpus: corpus.map((each) => ({ ...each, page: 2 })) };
}

/** The rows of each query, by the name of its check; rows in any order are sorted, by `inOrder`. */
export function expectedRows(): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(questions.map(({ name, rows, isOrdered }) => [name, isOrdered ? rows : inOrder(rows)]));
}

/** Of a line of a query, what `expectedRows` says. */
export function comparableRows(name: string, value: unknown): unknown {
  const question = questions.find((each) => each.name === name);
  return question?.isOrdered !== true && Array.isArray(value) ? inOrder(value) : value;
}

function inOrder(rows: readonly unknown[]): readonly unknown[] {
  return rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** Members in no order. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return JSON.stringify(isPlain ? Object.entries(value).sort() : value);
}

const all: readonly string[] = idsOf(orders);
const everySecond: readonly string[] = idsOf(orders.filter((_, place) => place % 2 === 0));
const ofAda: readonly string[] = idsOf(orders.filter(({ customer }) => customer === 'ada'));
const ofAdaAndBen: readonly string[] = idsOf(orders.filter(({ customer }) => ['ada', 'ben'].includes(customer)));

/** What every program says of each check but those of queries. */
const common: Readonly<Record<string, unknown>> = {
  containers: { again: 409, listed: ['orders', 'settings'], found: ['settings'], ttl: 3600, removed: 0 },
  items: { created: 1, again: 409, upserted: 2, replaced: 3, stale: 412, read: 3, deleted: 0, absent: 404 },
  patch: { total: 5, tags: ['a'], old: false, refused: 412 },
  batch: { done: [201, 201, 200], failed: [424, 409], left: 1 },
  pages: { ids: all, within: true },
  'read many': everySecond,
  'hierarchical key': {
    read: 's3',
    whole: ['a3'],
    prefix: ['a1', 'a3', 'a5'],
    first: ['a0', 'a1', 'a2', 'a3', 'a4', 'a5'],
    many: ['a0', 'a1', 'a2', 'a3'],
  },
  throughput: [18_000, 18_100],
};

const figures = { figures: 16, rows: true, charge: true, index: ['PotentialCompositeIndexes'] };
const feed = { all, late: ['late'], key: ['late', ...ofAda] };
const versions = [
  ['create', 1, null],
  ['replace', 2, null],
  ['delete', null, 2],
];
const processor = { shared: { a: 2, b: 1 }, again: 0, started: [false, false, false] };

const own: Readonly<Record<Language, Readonly<Record<string, unknown>>>> = {
  python: {
    'read all': all,
    'feed ranges': { count: 3, ids: all },
    metrics: figures,
    changes: feed,
    versions,
    deleted: { left: ['orders', 'versions'], listed: false },
  },
  go: {
    metrics: figures,
    changes: { all, late: ['late'], ranges: 3, parts: true },
    deleted: { left: ['orders'], listed: false },
  },
  java: {
    'read all': all,
    'read all of a key': ofAda,
    'read many keys': ofAdaAndBen,
    'feed ranges': { count: 3, ids: all },
    metrics: { rows: true, charge: true, index: true, engine: true },
    changes: feed,
    versions,
    bulk: [[201], [204]],
    'processor: CHANGES': processor,
    'processor: LATEST': processor,
    'processor: VERSIONS': processor,
    deleted: { left: false, listed: false },
  },
};

export function expectedOf(language: Language, database: string): Readonly<Record<string, unknown>> {
  // There is no "create it where it is not there" in Go.
  const present = language === 'go' ? {} : { present: true };
  const databases = { again: 409, listed: true, absent: 404, found: [database], ...present };
  return { ...common, databases, ...own[language] };
}
