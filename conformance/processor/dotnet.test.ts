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
