// Hosts with the rules of .NET beside ours, in one lease container, over HTTP.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { disordered, repeated } from './ledger.ts';
import { brief, Setting } from './setting.ts';

test.runIf(isLong)(
  'the rules of .NET by themselves: a killed host is followed by another, and nothing is lost',
  async () => {
    await using setting = await Setting.open({ ranges: 2 });
    const first = setting.host('a', { ...brief, rules: 'dotnet' });
    await first.until('both ranges', () => first.open.length === 2);
    await setting.ledger.write(40);
    await setting.untilNothingIsLost();
    await first.end('SIGKILL');
    await setting.ledger.write(40);
    const second = setting.host('b', { ...brief, rules: 'dotnet' });
    await setting.untilNothingIsLost();
    expect(second.open.sort()).toEqual(['1', '2']);
    expect(disordered(setting.hosts)).toEqual([]);
    expect(repeated(setting.hosts).size).toBeLessThanOrEqual(10);
    expect(await second.end('SIGTERM')).toBe(0);
    expect((await setting.leaseDocuments()).map(({ Owner }) => Owner)).toEqual([null, null]);
  },
);

test.runIf(isLong)(
  '[S57] a host of .NET joins ours and is killed: ours has everything again, and what it needs of its leases',
  async () => {
    await using setting = await Setting.open({ ranges: 4 });
    const ours = setting.host('ours', brief);
    await ours.until('all ranges', () => ours.open.length === 4);
    await setting.ledger.write(40);
    const theirs = setting.host('theirs', { ...brief, rules: 'dotnet' });
    await setting.until('two ranges each', () => [ours, theirs].every(({ open }) => open.length === 2));
    await setting.ledger.write(40);
    await setting.untilNothingIsLost();
    // What it rewrote still says what we had put beside its own members.
    const rewritten = (await setting.leaseDocuments()).filter(({ Owner }) => Owner === 'theirs');
    expect(rewritten.map(({ properties }) => Number(properties['tidemark.epoch']))).toEqual([1, 1]);

    await theirs.end('SIGKILL');
    await setting.ledger.write(40);
    await ours.until('all ranges again', () => ours.open.length === 4);
    await setting.untilNothingIsLost();
    expect(disordered(setting.hosts)).toEqual([]);
    const epochs = (await setting.leaseDocuments()).map(({ properties }) => Number(properties['tidemark.epoch']));
    expect(Math.max(...epochs)).toBeGreaterThan(1);
  },
);

test.runIf(isLong)('[S57] ours joins a host of .NET and is killed: that one has everything again', async () => {
  await using setting = await Setting.open({ ranges: 4 });
  const theirs = setting.host('theirs', { ...brief, rules: 'dotnet' });
  await theirs.until('all ranges', () => theirs.open.length === 4);
  await setting.ledger.write(40);
  const ours = setting.host('ours', brief);
  await setting.until('two ranges each', () => [ours, theirs].every(({ open }) => open.length === 2));
  await setting.ledger.write(40);
  await setting.untilNothingIsLost();

  await ours.end('SIGKILL');
  await setting.ledger.write(40);
  await theirs.until('all ranges again', () => theirs.open.length === 4);
  await setting.untilNothingIsLost();
  expect(disordered(setting.hosts)).toEqual([]);
});

test('[S58] from version 2 to version 3, to ours, and back to version 2: every step reads the one before', async () => {
  await using setting = await Setting.open({ ranges: 2, leaseKey: '/partitionKey' });
  const steps = [
    setting.host.bind(setting, 'v2', { rules: 'dotnet', dialect: 'v2' }),
    setting.host.bind(setting, 'v3', { rules: 'dotnet' }),
    setting.host.bind(setting, 'ours', {}),
    setting.host.bind(setting, 'v3-again', { rules: 'dotnet' }),
    setting.host.bind(setting, 'v2-again', { rules: 'dotnet', dialect: 'v2' }),
  ];
  for (const step of steps) {
    const host = step();
    await host.until('both ranges', () => host.open.length === 2);
    await setting.ledger.write(20);
    await setting.untilNothingIsLost();
    expect(await host.end('SIGTERM')).toBe(0);
    expect((await setting.leaseDocuments()).map(({ Owner }) => Owner)).toEqual([null, null]);
  }
  for (const { id, partitionKey } of await setting.leaseDocuments()) expect(partitionKey).toBe(id);
  // Each went on where the one before had ended.
  expect([...repeated(setting.hosts)]).toEqual([]);
  expect(disordered(setting.hosts)).toEqual([]);
});
