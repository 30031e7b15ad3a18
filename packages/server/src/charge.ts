// What an operation costs, in request units: a function of what the client asked and got, never of the engine below, so that
// the same program is charged the same on every engine. docs/reference/charges.md is this file in prose.
//
// The unit is a point read of 1 KiB. The service publishes two points of each curve: 1 KiB and 100 KiB cost 1 and 10 to read,
// 5 and 50 to write; here a line goes through them, and whatever is smaller than 1 KiB counts as 1 KiB.

import type { ErrorCode } from '@tidemark/model';

/** A read of up to 1 KiB; a page, an answer "not modified" and a refusal that looked at data cost this at the least. */
export const chargeMin = 1;

/** A write costs this many times a read of the same size; a replace twice that: the old version goes out of every index. */
const createFactor = 5;
const replaceFactor = 10;
const chargePerFurtherKiB: number = 9 / 99;
const chargePerItem = 0.05;
const chargePerLook = 0.01;

export function readCharge(sizeBytes: number): number {
  return rounded(readUnits(sizeBytes));
}

export function createCharge(sizeBytes: number): number {
  return rounded(createFactor * readUnits(sizeBytes));
}

/** Also of a patch and of an upsert that found its document; the size is that of the result. */
export function replaceCharge(sizeBytes: number): number {
  return rounded(replaceFactor * readUnits(sizeBytes));
}

/** Whatever the size of what goes. */
export const deleteCharge: number = createFactor * chargeMin;

/** Of a database, container or anything else that is not a document. */
export const metadataWriteCharge: number = createFactor * chargeMin;

/** By what is on it; what was passed over to find that depends on the engine. */
export function pageCharge(items: number, sizeBytes: number): number {
  return rounded(chargeMin + items * chargePerItem + (sizeBytes / 1024) * chargePerFurtherKiB);
}

/** A page of a query: its rows, and each document that it looked at, wanted or not. */
export function queryCharge(page: {
  readonly documents: number;
  readonly items: number;
  readonly sizeBytes: number;
}): number {
  return rounded(pageCharge(page.items, page.sizeBytes) + page.documents * chargePerLook);
}

/** Only a refusal that took a look at the data costs anything; being throttled must not cost what it waits for. */
export function refusalCharge(code: ErrorCode): number {
  return lookedAtData.has(code) ? chargeMin : 0;
}

const lookedAtData: ReadonlySet<ErrorCode> = new Set([
  'not-found',
  'conflict',
  'unique-key-violation',
  'precondition-failed',
]);

/** Of a batch, a bulk, or whatever else is made of parts. */
export function sumOfCharges(charges: readonly number[]): number {
  return rounded(charges.reduce((sum, charge) => sum + charge, 0));
}

function readUnits(sizeBytes: number): number {
  return chargeMin + chargePerFurtherKiB * Math.max(0, sizeBytes / 1024 - 1);
}

function rounded(charge: number): number {
  return Math.round(charge * 100) / 100;
}
