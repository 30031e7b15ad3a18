// Hosts that die without a word.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { disordered, repeated } from './ledger.ts';
import { brief, Setting } from './setting.ts';

test('[S1] a host killed in the middle of a batch: its window is delivered again, nothing else is', async () => {
  await using setting = await Setting.open();
  const first = setting.host('a', { ...brief, isHeld: true });
  await first.untilWord('opened');
  const second = setting.host('b', brief);
  await second.untilWord('started');
  await setting.ledger.write(30);
  const begun = await first.untilWord('batch');

  await first.end('SIGKILL');
  await setting.untilNothingIsLost();
  expect([...repeated(setting.hosts).keys()].sort()).toEqual(begun.items.map(({ id }) => id).sort());
  expect(disordered(setting.hosts)).toEqual([]);
  expect(second.of('opened')[0]?.epoch).toBeGreaterThan(first.of('opened')[0]?.epoch ?? 0);
});

test.runIf(isLong)('[S1] all that was handled and not checkpointed is delivered again', async () => {
  await using setting = await Setting.open();
  await setting.ledger.write(15);
  const first = setting.host('a', { ...brief, isManual: true });
  await setting.untilNothingIsLost();
  const second = setting.host('b', brief);
  await second.untilWord('started');

  await first.end('SIGKILL');
  await second.until('all of it again', () => setting.ledger.lost([second]).length === 0);
  expect(disordered([second])).toEqual([]);
});

test.runIf(isLong)('[S2] a host killed after the effect and before the checkpoint: delivered once more', async () => {
  await using setting = await Setting.open();
  const proxy = await setting.proxy();
  const first = setting.host('a', { ...brief, isHeld: true, leaseEndpoint: proxy.url });
  await first.untilWord('opened');
  const second = setting.host('b', brief);
  await second.untilWord('started');
  await setting.ledger.write(5, 1);
  await first.untilWord('batch');

  proxy.cut();
  first.tell('release');
  await first.until('the effect', () => setting.ledger.lost([first]).length === 0);
  await first.end('SIGKILL');
  await second.until('the same again', () => setting.ledger.lost([second]).length === 0);
  expect([...repeated(setting.hosts).values()]).toEqual([2, 2, 2, 2, 2]);
});

test.runIf(isLong)(
  '[S30] two processes of one name: the second takes over, the first stops, no position moves back',
  async () => {
    await using setting = await Setting.open({ ranges: 2 });
    const first = setting.host('same');
    await first.until('both ranges', () => first.open.length === 2);
    await setting.ledger.write(30);
    await setting.untilNothingIsLost();
    const before = await setting.untilLeases('checkpoints', (leases) =>
      leases.every(({ ContinuationToken }) => ContinuationToken !== null),
    );
    const second = setting.host('same');
    await second.until('both ranges', () => second.open.length === 2);
    await first.until('nothing is open', () => first.open.length === 0);
    await first.untilWord('event', ({ name, text }) => name === 'health' && text.startsWith('instance-taken'));

    const epochs = first.of('opened').map(({ epoch }) => epoch);
    for (const { epoch } of second.of('opened')) expect(epoch).toBeGreaterThan(Math.max(...epochs));
    const callsBefore = first.of('batch').length;
    await setting.ledger.write(30);
    await setting.untilNothingIsLost();
    expect(first.of('batch')).toHaveLength(callsBefore);
    expect(disordered(setting.hosts)).toEqual([]);
    for (const { id, ContinuationToken } of await setting.leaseDocuments()) {
      const earlier = before.find((lease) => lease.id === id);
      expect(lsnOf(ContinuationToken)).toBeGreaterThanOrEqual(lsnOf(earlier?.ContinuationToken ?? null));
    }
  },
);

function lsnOf(token: string | null): number {
  return Number(JSON.parse(token ?? '"0"'));
}
