// Hosts that are asked to stop.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { HostProcess } from './host-process.ts';
import { disordered, repeated } from './ledger.ts';
import { brief, Setting } from './setting.ts';

/** I10: what was opened is closed once, and nothing is delivered afterwards. */
function expectClosed(host: HostProcess): void {
  expect(host.open).toEqual([]);
  const last = new Map<string, string>();
  for (const word of host.words) {
    if (word.type === 'opened') expect(last.get(word.lease)).not.toBe('opened');
    if (word.type === 'closed') expect(last.get(word.lease)).toBe('opened');
    if (word.type === 'batch') expect(last.get(word.lease)).toBe('opened');
    if (word.type === 'opened' || word.type === 'closed') last.set(word.lease, word.type);
  }
}

test('[S55] a stop at full speed: leases are released, and the next host repeats nothing', async () => {
  await using setting = await Setting.open({ ranges: 2 });
  const first = setting.host('a', { itemsMax: 20 });
  await first.until('both ranges', () => first.open.length === 2);
  setting.ledger.writeOn(8);
  await first.until('some changes', () => first.handledIds.size > 200);

  expect(await first.end('SIGTERM')).toBe(0);
  expect(first.of('stopped')).toHaveLength(1);
  expectClosed(first);
  expect(new Set(first.of('closed').map(({ reason }) => reason))).toEqual(new Set(['shutdown']));
  expect((await setting.leaseDocuments()).map(({ Owner }) => Owner)).toEqual([null, null]);
  const second = setting.host('b', { itemsMax: 20 });
  await second.until('more changes', () => second.handledIds.size > 50);
  await setting.ledger.stop();
  await setting.untilNothingIsLost();
  expect([...repeated(setting.hosts)]).toEqual([]);
  expect(disordered(setting.hosts)).toEqual([]);
});

test.runIf(isLong)('[S55] a stop that hands over to a host that is there repeats nothing', async () => {
  await using setting = await Setting.open({ ranges: 4 });
  const [first, second] = [setting.host('a'), setting.host('b')];
  await setting.until('two ranges each', () => [first, second].every(({ open }) => open.length === 2));
  setting.ledger.writeOn(8);
  await first.until('some changes', () => first.handledIds.size > 50);

  expect(await first.end('SIGTERM')).toBe(0);
  expectClosed(first);
  await second.until('all ranges', () => second.open.length === 4);
  await setting.ledger.stop();
  await setting.untilNothingIsLost();
  expect([...repeated(setting.hosts)]).toEqual([]);
  expect(disordered(setting.hosts)).toEqual([]);
});

test.runIf(isLong)('[S55] a stop before the start has finished, and one during a split', async () => {
  await using setting = await Setting.open({ ranges: 2 });
  await setting.ledger.write(20);
  const early = setting.host('early');
  await early.untilWord('event', ({ name }) => name === 'alive');
  expect(await early.end('SIGTERM')).toBe(0);
  expectClosed(early);

  const next = setting.host('next', { isHeld: true });
  await next.untilWord('batch');
  await setting.split();
  next.tell('release');
  expect(await next.end('SIGTERM')).toBe(0);
  expectClosed(next);
  const last = setting.host('last');
  await last.until('three ranges', () => last.open.length === 3);
  await setting.untilNothingIsLost();
  expect(disordered(setting.hosts)).toEqual([]);
});

test.runIf(isLong)('[S55] a host that is stopped twice stops once', async () => {
  await using setting = await Setting.open();
  const host = setting.host('a', { isHeld: true });
  await setting.ledger.write(5);
  await host.untilWord('batch');
  host.tell('stop');
  host.tell('stop');
  host.tell('release');
  expect(await host.end('SIGTERM')).toBe(0);
  expectClosed(host);
  expect(host.of('handled').length).toBe(host.of('batch').length);
});

test.runIf(isLong).each([false, true])(
  '[S56] a handler that takes longer than the stop may: not checkpointed (deaf: %s)',
  async (isDeaf) => {
    await using setting = await Setting.open();
    const first = setting.host('a', { ...brief, isHeld: true, isDeaf, drainMs: 300 });
    await setting.ledger.write(5, 1);
    const begun = await first.untilWord('batch');
    const [before] = await setting.leaseDocuments();

    expect(await first.end('SIGTERM')).toBe(0);
    if (!isDeaf) await first.untilWord('aborted');
    expect(first.of('handled')).toEqual([]);
    const [lease] = await setting.leaseDocuments();
    expect(lease?.ContinuationToken).toBe(before?.ContinuationToken);
    const second = setting.host('b', brief);
    await second.until('the same', () => setting.ledger.lost([second]).length === 0);
    expect([...repeated(setting.hosts).keys()].sort()).toEqual(begun.items.map(({ id }) => id).sort());
  },
);
