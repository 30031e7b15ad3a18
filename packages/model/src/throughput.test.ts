import { describe, expect, it } from 'vitest';
import {
  autoscaleThroughput,
  changedOffer,
  defaultThroughput,
  leastThroughput,
  manualThroughput,
  migrated,
  newOffer,
  peakOf,
  rangesForThroughput,
} from './throughput.ts';

const manual = (unitsPerSecond: number) => ({ kind: 'manual', unitsPerSecond }) as const;
const autoscale = (unitsPerSecondMax: number) => ({ kind: 'autoscale', unitsPerSecondMax }) as const;

describe('throughput', () => {
  it.each([400, 500, 6_000, 1_000_000])('[wire 6] takes %i by hand', (value) => {
    expect(manualThroughput(value)).toEqual(manual(value));
  });

  it.each([0, -400, 300, 401, 450, 1_000_100, 400.5, Number.NaN, '400', null, undefined, {}])(
    '[wire 6] refuses %j by hand and says what it may be',
    (value) => {
      expect(() => manualThroughput(value)).toThrow(/between 400 and 1000000 inclusive in increments of 100/);
    },
  );

  it('[wire 6] takes autoscale settings with and without a policy', () => {
    expect(autoscaleThroughput({ maxThroughput: 4_000 })).toEqual(autoscale(4_000));
    expect(autoscaleThroughput({ maxThroughput: 1_000, autoUpgradePolicy: null })).toEqual(autoscale(1_000));
    const autoUpgradePolicy = { throughputPolicy: { incrementPercent: 10 } };
    expect(autoscaleThroughput({ maxThroughput: 4_000, autoUpgradePolicy })).toEqual({
      ...autoscale(4_000),
      incrementPercent: 10,
    });
  });

  it.each([
    undefined,
    null,
    4_000,
    {},
    { maxThroughput: '4000' },
    { maxThroughput: 999 },
    { maxThroughput: 1_500 },
    { maxThroughput: 1_001_000 },
    { maxThroughput: 4_000, autoUpgradePolicy: { throughputPolicy: { incrementPercent: 101 } } },
    { maxThroughput: 4_000, autoUpgradePolicy: { throughputPolicy: { incrementPercent: 'ten' } } },
  ])('[wire 6] refuses the autoscale settings %j', (settings) => {
    expect(() => autoscaleThroughput(settings)).toThrow(/maxThroughput|incrementPercent/);
  });

  it.each([
    [manual(400), 1],
    [manual(6_000), 1],
    [manual(6_100), 2],
    [manual(21_000), 4],
    [manual(25_100), 5],
    [autoscale(60_000), 10],
  ])('[wire 17.22] %j needs %i range(s)', (throughput, ranges) => {
    expect(rangesForThroughput(throughput)).toBe(ranges);
  });

  it('[wire 6] may be lowered to a hundredth of the most there ever was, as autoscale to a tenth', () => {
    const high = changedOffer(newOffer(defaultThroughput), manual(90_000));
    expect(high.unitsPerSecondEver).toBe(90_000);
    expect([leastThroughput(high, 'manual'), leastThroughput(high, 'autoscale')]).toEqual([900, 9_000]);
    const low = changedOffer(high, manual(900));
    expect(low).toEqual({ throughput: manual(900), unitsPerSecondEver: 90_000 });
    expect(() => changedOffer(low, manual(800))).toThrow(/the least is 900 \(manual\)/);
    expect(() => changedOffer(low, autoscale(8_000))).toThrow(/the least is 9000 \(autoscale\)/);
  });

  it('[wire 6] goes from manual to autoscale and back without losing any', () => {
    expect(migrated(newOffer(manual(4_100)), 'autoscale')).toEqual(autoscale(5_000));
    expect(migrated(newOffer(manual(400)), 'autoscale')).toEqual(autoscale(1_000));
    expect(migrated(newOffer(autoscale(5_000)), 'manual')).toEqual(manual(5_000));
    expect(migrated(newOffer(manual(500)), 'manual')).toEqual(manual(500));
    expect(peakOf(autoscale(4_000))).toBe(4_000);
  });
});
