// Hosts that stand still while time goes on.

import { isLong } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { brief, Setting } from './setting.ts';

test.runIf(isLong)(
  '[S4] a host that was frozen longer than its lease is fenced before it acknowledges anything',
  async () => {
    await using setting = await Setting.open();
    const first = setting.host('a', { ...brief, isHeld: true, isDeaf: true });
    await first.untilWord('opened');
    const second = setting.host('b', brief);
    await second.untilWord('started');
    await setting.ledger.write(20);
    await first.untilWord('batch');

    first.signal('SIGSTOP');
    await second.until('all of it', () => setting.ledger.lost([second]).length === 0);
    const [taken] = await setting.untilLeases('the last checkpoint', ([lease]) => lease?.Owner === 'b');
    // It is told while it is frozen: the handler ends the moment it thaws.
    first.tell('release');
    first.signal('SIGCONT');
    await first.untilWord('handled');
    const closed = await first.untilWord('closed');

    expect(['fenced', 'lease-lost']).toContain(closed.reason);
    expect(first.of('handled')).toHaveLength(1);
    // Where it stood before anything was written it may have noted while it was idle.
    const noted = first.of('event').filter(({ name, text }) => name === 'checkpoint' && text !== '"0"');
    expect(noted).toEqual([]);
    const callsBefore = first.of('batch').length;
    await setting.ledger.write(20);
    await second.until('what came later', () => setting.ledger.lost([second]).length === 0);
    expect(first.of('batch')).toHaveLength(callsBefore);
    const [lease] = await setting.leaseDocuments();
    expect(lease?.Owner).toBe('b');
    expect(lease?.properties['tidemark.epoch']).toBe(taken?.properties['tidemark.epoch']);
  },
);

test.runIf(isLong)('[S4] the checkpoint of a host that was frozen is refused', async () => {
  await using setting = await Setting.open();
  await setting.ledger.write(5, 1);
  const first = setting.host('a', { ...brief, isManual: true });
  await setting.untilNothingIsLost();
  const second = setting.host('b', { ...brief, isManual: true });
  await second.untilWord('started');

  first.signal('SIGSTOP');
  await second.until('all of it', () => setting.ledger.lost([second]).length === 0);
  const [before] = await setting.leaseDocuments();
  first.tell('checkpoint');
  first.signal('SIGCONT');
  const refused = await first.untilWord('refused');

  expect(['fenced', 'lease-lost']).toContain(refused.code);
  expect(first.of('acknowledged')).toEqual([]);
  const [after] = await setting.leaseDocuments();
  expect(after).toMatchObject({ Owner: 'b', ContinuationToken: before?.ContinuationToken });
});
