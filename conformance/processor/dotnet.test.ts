// Hosts with the rules of .NET beside ours, in one lease container, over HTTP.

import { expect, test } from 'vitest';
import { disordered, repeated } from './ledger.ts';
import { Setting } from './setting.ts';

test('the rules of .NET by themselves: a killed host is followed by another, and nothing is lost', async () => {
  await using setting = await Setting.open({ ranges: 2 });
  const first = setting.host('a', { rules: 'dotnet' });
  await first.until('both ranges', () => first.open.length === 2);
  await setting.ledger.write(40);
  await setting.untilNothingIsLost();
  await first.end('SIGKILL');
  await setting.ledger.write(40);
  const second = setting.host('b', { rules: 'dotnet' });
  await setting.untilNothingIsLost();
  expect(second.open.sort()).toEqual(['1', '2']);
  expect(disordered(setting.hosts)).toEqual([]);
  expect(repeated(setting.hosts).size).toBeLessThanOrEqual(10);
  expect(await second.end('SIGTERM')).toBe(0);
  expect((await setting.leaseDocuments()).map(({ Owner }) => Owner)).toEqual([null, null]);
});

test('[S57] a mixed group balances, survives kills both ways, and keeps what each side needs', async () => {
  await using setting = await Setting.open({ ranges: 4 });
  const ours = setting.host('ours');
  await ours.until('all ranges', () => ours.open.length === 4);
  await setting.ledger.write(40);
  const theirs = setting.host('theirs', { rules: 'dotnet' });
  await setting.until('two ranges each', () => [ours, theirs].every(({ open }) => open.length === 2));
  await setting.ledger.write(40);
  await setting.untilNothingIsLost();
  // What it rewrote still says what we had put beside its own members.
  const rewritten = await setting.leaseDocuments();
  for (const { Owner, properties } of rewritten.filter((lease) => lease.Owner === 'theirs')) {
    expect([Owner, Number(properties['tidemark.epoch'])]).toEqual(['theirs', expect.any(Number)]);
  }

  await theirs.end('SIGKILL');
  await setting.ledger.write(40);
  await ours.until('all ranges again', () => ours.open.length === 4);
  await setting.untilNothingIsLost();

  const again = setting.host('again', { rules: 'dotnet' });
  await setting.until('two ranges each', () => [ours, again].every(({ open }) => open.length === 2));
  await ours.end('SIGKILL');
  await setting.ledger.write(40);
  await again.until('all ranges', () => again.open.length === 4);
  await setting.untilNothingIsLost();

  const back = setting.host('back');
  await setting.until('two ranges each', () => [again, back].every(({ open }) => open.length === 2));
  await setting.ledger.write(40);
  await setting.untilNothingIsLost();
  expect(disordered(setting.hosts)).toEqual([]);
});

test('[S58] from version 2 to version 3, to ours, and back to version 2: every step reads the one before', async () => {
  await using setting = await Setting.open({ ranges: 2 });
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
  // Each went on where the one before had ended.
  expect([...repeated(setting.hosts)]).toEqual([]);
  expect(disordered(setting.hosts)).toEqual([]);
});
