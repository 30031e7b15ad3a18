import { retryPauseMsMin } from '@tidemark/client';
import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { FaultyStore } from '../../test/core/faulty-store.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { Sidecar } from './sidecars.ts';

test('[I11] a document that is refused again and again is written at once, then after pauses that grow', async () => {
  const clock = new VirtualClock();
  const store = new FaultyStore(new MemoryDocumentStore({ clock }));
  const sidecar = new Sidecar({ clock, random: () => 0.5, store, signal: undefined }, 'p.x.done.0', 1);
  const atMs: number[] = [];
  store.fault = ({ operation }) => {
    if (operation === 'read') return undefined;
    atMs.push(clock.monotonicMs());
    return new DatabaseError('conflict', 'It exists already.');
  };

  const refused = expect(sidecar.save({ done: [] })).rejects.toMatchObject({ code: 'conflict' });
  await clock.advance(10_000);
  await refused;

  expect(atMs).toEqual([0, 0, 1, 3].map((times) => times * retryPauseMsMin));
});
