// The documents of the benchmark: orders of exactly 1 KiB, with objects in objects, texts, numbers and arrays, over ten thousand
// partition keys. Document `n` is always the same, so that whoever wants to know what a query must find makes them again. Its id and
// key are those of the other benches, which can read it therefore.

import { documentBytes, idOf, partitionKeyOf, partitionKeys } from '../engine/documents.ts';

export interface Order {
  readonly id: string;
  readonly customerId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly customer: {
    readonly name: string;
    readonly email: string;
    readonly tier: number;
    readonly address: {
      readonly street: string;
      readonly city: string;
      readonly postcode: string;
      readonly country: string;
    };
  };
  readonly items: readonly {
    readonly sku: string;
    readonly name: string;
    readonly quantity: number;
    readonly price: number;
  }[];
  readonly total: number;
  readonly currency: string;
  readonly tags: readonly string[];
  readonly shipping: { readonly carrier: string; readonly express: boolean; readonly weightKg: number | null };
  /** What is left of 1 KiB. */
  readonly note: string;
}

export function orderOf(n: number): Order {
  const chance = chancesOf(n);
  const one = <T>(list: readonly T[]): T => list[chance(list.length)] as T;
  const items = Array.from({ length: 3 + chance(3) }, () => ({
    sku: `SKU-${digits(chance(100_000), 5)}`,
    name: `${one(colours)} ${one(things)}`,
    quantity: 1 + chance(5),
    price: (100 + chance(50_000)) / 100,
  }));
  const city = chance(cities);
  const order = {
    id: idOf(n),
    customerId: partitionKeyOf(n),
    status: one(statuses),
    createdAt: new Date(firstMs + chance(365 * 24 * 3_600) * 1_000).toISOString(),
    customer: {
      name: `${one(names)} ${one(families)}`,
      email: `customer${n % partitionKeys}@example.com`,
      tier: chance(4),
      address: {
        street: `${one(families)} Street ${1 + chance(200)}`,
        city: cityOf(city),
        postcode: digits(chance(100_000), 5),
        country: countryOf(city),
      },
    },
    items,
    total: Math.round(items.reduce((sum, { quantity, price }) => sum + quantity * price, 0) * 100) / 100,
    currency: 'EUR',
    tags: [one(colours), one(things), one(statuses)],
    shipping: {
      carrier: one(carriers),
      express: chance(5) === 0,
      weightKg: chance(10) === 0 ? null : chance(2_000) / 100,
    },
    note: '',
  };
  return { ...order, note: noteOf(documentBytes - JSON.stringify(order).length) };
}

/** JSON of ASCII. */
export function textOf(n: number): string {
  return JSON.stringify(orderOf(n));
}

/** A city is in one country. */
export function cityOf(city: number): string {
  return `${names[city % names.length]}ville ${digits(city, 3)}`;
}

const cities = 1_000;
const countries = 40;
const firstMs: number = Date.UTC(2026, 0, 1);
const statuses: readonly string[] = ['open', 'paid', 'packed', 'shipped', 'delivered', 'returned', 'cancelled', 'lost'];
const carriers: readonly string[] = ['DHL', 'UPS', 'FedEx', 'Hermes', 'GLS'];
const colours: readonly string[] = ['red', 'green', 'blue', 'black', 'white', 'yellow', 'brown', 'grey'];
const things: readonly string[] = [
  'chair',
  'table',
  'lamp',
  'shelf',
  'carpet',
  'mirror',
  'vase',
  'clock',
  'stool',
  'desk',
];
const names: readonly string[] = ['Anna', 'Bela', 'Clara', 'David', 'Emma', 'Felix', 'Greta', 'Hugo', 'Ida', 'Jonas'];
const families: readonly string[] = [
  'Abel',
  'Berg',
  'Conrad',
  'Dietz',
  'Ebert',
  'Frank',
  'Gross',
  'Haas',
  'Iwan',
  'Jung',
];
const words = 'leave it with the neighbour please and ring twice before you go because the dog is friendly ';

function countryOf(city: number): string {
  return `country ${digits(city % countries, 2)}`;
}

function noteOf(length: number): string {
  if (length < 0) throw new Error(`A document is ${-length} bytes too long.`);
  return words.repeat(Math.ceil(length / words.length)).slice(0, length);
}

function digits(value: number, count: number): string {
  return value.toString().padStart(count, '0');
}

/** Numbers below a bound, one after the other, the same for the same document (mulberry32). */
function chancesOf(n: number): (below: number) => number {
  let state = Math.imul(n + 1, 0x9e37_79b1);
  return (below) => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) % below) | 0;
  };
}
