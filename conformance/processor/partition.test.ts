// A host that cannot reach the leases and can reach the feed.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { disordered, repeated } from './ledger.ts';
import { brief, Setting } from './setting.ts';

test.runIf(isLong)('[S5] a host that is cut off from the leases stops before another one may start', async () => {
  await using setting = await Setting.open();
  const proxy = await setting.proxy();
  const first = setting.host('a', { ...brief, leaseEndpoint: proxy.url });
  await first.untilWord('opened');
  const second = setting.host('b', brief);
  await second.untilWord('started');
  setting.ledger.writeOn();
  await first.until('some changes', () => first.handledIds.size > 50);

  proxy.cut();
  const opened = await second.untilWord('opened');
  const closed = await first.untilWord('closed');
  expect(closed.reason).toBe('fenced');
  // One clock for both processes: nothing was handed to the first after the second began.
  const opening = BigInt(opened.at);
  for (const { at } of first.of('batch')) expect(BigInt(at)).toBeLessThan(opening);

  await second.until('more changes', () => second.handledIds.size > 50);
  await setting.ledger.stop();
  proxy.mend();
  await setting.untilNothingIsLost();
  expect(disordered(setting.hosts)).toEqual([]);
  // What it handled after its last checkpoint, and nothing before.
  const stored = first.of('event').findLast(({ name }) => name === 'checkpoint')?.text;
  const checkpointed = first.of('batch').findIndex(({ position }) => position === stored);
  const window = first.of('batch').slice(checkpointed + 1);
  const allowed = new Set(window.flatMap(({ items }) => items).map(({ id }) => id));
  for (const [id, times] of repeated(setting.hosts)) {
    expect(times).toBe(2);
    expect(allowed).toContain(id);
  }
});
