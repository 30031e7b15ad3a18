// Ranges that are split while they are read.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { disordered, repeated } from './ledger.ts';
import type { LeaseDocument } from './setting.ts';
import { brief, Setting } from './setting.ts';

const tokensOf = (leases: readonly LeaseDocument[]): (string | undefined)[] =>
  leases.map(({ LeaseToken }) => LeaseToken).sort();

test('[S15] a split in the middle of a batch: children go on where the parent was acknowledged', async () => {
  await using setting = await Setting.open();
  await setting.ledger.write(40);
  const host = setting.host('a', { isHeld: true });
  await host.untilWord('batch');

  await setting.split('0');
  await setting.ledger.write(40);
  host.tell('release');
  await setting.untilNothingIsLost();
  await setting.untilLeases('children only', (leases) => tokensOf(leases).join() === '1,2');
  expect(disordered(setting.hosts)).toEqual([]);
  expect(repeated(setting.hosts).size).toBeLessThanOrEqual(5);
  // Children are opened after the parent is closed.
  const closed = host.words.findIndex((word) => word.type === 'closed' && word.lease === '0');
  const opened = host.words.findIndex((word) => word.type === 'opened' && word.lease !== '0');
  expect(closed).toBeGreaterThanOrEqual(0);
  expect(opened).toBeGreaterThan(closed);
});

test.runIf(isLong)(
  '[S16] a split with five pages that nobody acknowledged, and a kill right after: all of them again',
  async () => {
    await using setting = await Setting.open();
    await setting.ledger.write(25);
    const first = setting.host('a', { ...brief, isManual: true });
    await setting.untilNothingIsLost();
    expect(first.handled().length).toBeGreaterThanOrEqual(5);

    await setting.split('0');
    await setting.untilLeases('children', (leases) => ['1', '2'].every((token) => tokensOf(leases).includes(token)));
    await first.end('SIGKILL');
    const second = setting.host('b', brief);
    await second.until('all of it again', () => setting.ledger.lost([second]).length === 0);
    expect(disordered([second])).toEqual([]);
    await setting.untilLeases('children only', (leases) => tokensOf(leases).join() === '1,2');
  },
);
