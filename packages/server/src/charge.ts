// What an operation costs, in request units. The model is small and will be refined; clients only add the numbers up.
//
//   point read        1      for the first KiB, 0.1 for each further one
//   create, delete    5.5    for the first KiB, 0.5 for each further one
//   replace           10.5   for the first KiB, 1 for each further one: the old version is taken out of the index as well
//   page of a feed    1      and 0.1 for each KiB on it
//   a refusal, and everything about databases, containers and ranges, costs as much as a read of 1 KiB
//
// The first two lines reproduce the service's own examples: 1 KiB and 100 KiB cost 1 and 10 to read, 5 and 50 to write.

export const chargeMin = 1;

export function readCharge(sizeBytes: number): number {
  return rounded(1 + 0.1 * furtherKiB(sizeBytes));
}

export function createCharge(sizeBytes: number): number {
  return rounded(5.5 + 0.5 * furtherKiB(sizeBytes));
}

export function replaceCharge(sizeBytes: number): number {
  return rounded(10.5 + furtherKiB(sizeBytes));
}

export function deleteCharge(): number {
  return createCharge(0);
}

export function pageCharge(sizeBytes: number): number {
  return rounded(1 + 0.1 * (sizeBytes / 1024));
}

export function sumOfCharges(charges: readonly number[]): number {
  return rounded(charges.reduce((sum, charge) => sum + charge, 0));
}

function furtherKiB(sizeBytes: number): number {
  return Math.max(0, sizeBytes / 1024 - 1);
}

function rounded(charge: number): number {
  return Math.round(charge * 100) / 100;
}
