import { describe, expect, it } from 'vitest';
import {
  createCharge,
  deleteCharge,
  metadataWriteCharge,
  pageCharge,
  readCharge,
  refusalCharge,
  replaceCharge,
  sumOfCharges,
} from './charge.ts';

const KiB = 1024;

describe('request charges', () => {
  it.each([
    { what: 'reading 1 KiB', charge: readCharge(KiB), published: 1 },
    { what: 'reading 100 KiB', charge: readCharge(100 * KiB), published: 10 },
    { what: 'writing 1 KiB', charge: createCharge(KiB), published: 5 },
    { what: 'writing 100 KiB', charge: createCharge(100 * KiB), published: 50 },
    { what: 'replacing 1 KiB, twice a write', charge: replaceCharge(KiB), published: 10 },
    { what: 'replacing 100 KiB, twice a write', charge: replaceCharge(100 * KiB), published: 100 },
  ])('[M16] $what costs what the service publishes', ({ charge, published }) => {
    expect(charge).toBe(published);
  });

  it('[M16] takes what is smaller than 1 KiB for 1 KiB', () => {
    expect([readCharge(0), readCharge(200), readCharge(KiB)]).toEqual([1, 1, 1]);
    expect([createCharge(0), createCharge(KiB)]).toEqual([5, 5]);
    expect([deleteCharge, metadataWriteCharge]).toEqual([5, 5]);
  });

  it('[M16] grows with every KiB', () => {
    for (let size = 1; size < 2_000; size += 7) {
      expect(readCharge((size + 1) * KiB)).toBeGreaterThan(readCharge(size * KiB));
      expect(createCharge((size + 1) * KiB)).toBeGreaterThan(createCharge(size * KiB));
    }
  });

  it.each([
    { items: 0, bytes: 0, charge: 1 },
    { items: 1, bytes: 11 * KiB, charge: 2.05 },
    { items: 100, bytes: 110 * KiB, charge: 16 },
    { items: 1_000, bytes: 1_100 * KiB, charge: 151 },
  ])('[M16] charges a page of $items items and $bytes bytes with $charge', ({ items, bytes, charge }) => {
    expect(pageCharge(items, bytes)).toBe(charge);
  });

  it('[M16] makes many small parts in one page cheaper than reading them one by one', () => {
    expect(pageCharge(100, 100 * KiB)).toBeLessThan(100 * readCharge(KiB));
  });

  it('[M16] charges a refusal only where data was looked at', () => {
    for (const code of ['not-found', 'conflict', 'unique-key-violation', 'precondition-failed'] as const) {
      expect(refusalCharge(code)).toBe(1);
    }
    for (const code of [
      'bad-request',
      'unauthorized',
      'range-gone',
      'failed-dependency',
      'too-many-requests',
    ] as const) {
      expect(refusalCharge(code)).toBe(0);
    }
  });

  it('[M16] adds up without crumbs', () => {
    expect(sumOfCharges([0.1, 0.2, 5])).toBe(5.3);
    expect(sumOfCharges([])).toBe(0);
  });
});
