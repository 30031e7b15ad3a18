// Provisioned throughput: request units a second, for one container or shared by those of a database.
//
// Wire: a request says it in one of two headers, as a number or as autoscale settings in JSON; an offer shows both in its
// content (wire 6).

import { DatabaseError } from './errors.ts';
import {
  autoscaleMin,
  autoscaleStep,
  throughputMax,
  throughputMin,
  throughputPerRange,
  throughputStep,
} from './limits.ts';

export type Throughput =
  | { readonly kind: 'manual'; readonly unitsPerSecond: number }
  /** Between a tenth of the maximum and the maximum, as it is used. */
  | { readonly kind: 'autoscale'; readonly unitsPerSecondMax: number; readonly incrementPercent?: number };

/** What a container gets when nothing is said. */
export const defaultThroughput: Throughput = { kind: 'manual', unitsPerSecond: throughputMin };

/** The value of an offer. */
export interface Offer {
  readonly throughput: Throughput;
  /** The most that was ever provisioned: it bounds how far the throughput may be lowered. */
  readonly unitsPerSecondEver: number;
}

export function newOffer(throughput: Throughput): Offer {
  return { throughput, unitsPerSecondEver: peakOf(throughput) };
}

/** The offer after a change of its throughput. Throws bad-request when it goes lower than it may. */
export function changedOffer(offer: Offer, throughput: Throughput): Offer {
  const least = leastThroughput(offer, throughput.kind);
  const peak = peakOf(throughput);
  if (peak < least) {
    throw new DatabaseError(
      'bad-request',
      `The offer cannot be lowered to ${peak} request units a second: after ${offer.unitsPerSecondEver} the least is ` +
        `${least} (${throughput.kind}).`,
    );
  }
  return { throughput, unitsPerSecondEver: Math.max(offer.unitsPerSecondEver, peak) };
}

/** Service documentation: a hundredth of the most that was ever provisioned, of the maximum of autoscale a tenth. */
export function leastThroughput({ unitsPerSecondEver }: Offer, kind: Throughput['kind']): number {
  return kind === 'manual'
    ? Math.max(throughputMin, upTo(unitsPerSecondEver / 100, throughputStep))
    : Math.max(autoscaleMin, upTo(unitsPerSecondEver / 10, autoscaleStep));
}

/** The most it gives. */
export function peakOf(throughput: Throughput): number {
  return throughput.kind === 'manual' ? throughput.unitsPerSecond : throughput.unitsPerSecondMax;
}

/** Wire 9: as many ranges as a container needs for it. */
export function rangesForThroughput(throughput: Throughput): number {
  return Math.ceil(peakOf(throughput) / throughputPerRange);
}

/** Service documentation: what a manual offer becomes as autoscale, and the other way round. */
export function migrated(offer: Offer, kind: Throughput['kind']): Throughput {
  const peak = peakOf(offer.throughput);
  if (kind === offer.throughput.kind) return offer.throughput;
  if (kind === 'manual') return { kind, unitsPerSecond: peak };
  return { kind, unitsPerSecondMax: Math.max(leastThroughput(offer, kind), upTo(peak, autoscaleStep)) };
}

/** Throws bad-request unless it is a number that the service takes. */
export function manualThroughput(value: unknown): Throughput {
  if (isStep(value, throughputStep) && value >= throughputMin && value <= throughputMax) {
    return { kind: 'manual', unitsPerSecond: value };
  }
  throw new DatabaseError(
    'bad-request',
    `The offer should have valid throughput values between ${throughputMin} and ${throughputMax} inclusive in increments ` +
      `of ${throughputStep}, not ${shown(value)}.`,
  );
}

/** From `{"maxThroughput":4000,"autoUpgradePolicy":{"throughputPolicy":{"incrementPercent":10}}}`. */
export function autoscaleThroughput(settings: unknown): Throughput {
  const maximum = member(settings, 'maxThroughput');
  if (!isStep(maximum, autoscaleStep) || maximum < autoscaleMin || maximum > throughputMax) {
    throw new DatabaseError(
      'bad-request',
      `The maxThroughput of autoscale settings is between ${autoscaleMin} and ${throughputMax} in increments of ` +
        `${autoscaleStep}, not ${shown(maximum)}.`,
    );
  }
  const percent = member(member(member(settings, 'autoUpgradePolicy'), 'throughputPolicy'), 'incrementPercent');
  if (percent === undefined || percent === null) return { kind: 'autoscale', unitsPerSecondMax: maximum };
  if (isStep(percent, 1) && percent >= 0 && percent <= 100) {
    return { kind: 'autoscale', unitsPerSecondMax: maximum, incrementPercent: percent };
  }
  throw new DatabaseError(
    'bad-request',
    `The incrementPercent is a whole number from 0 to 100, not ${shown(percent)}.`,
  );
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function isStep(value: unknown, step: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value % step === 0;
}

function upTo(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value);
}
