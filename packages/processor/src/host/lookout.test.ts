import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { Lookout } from './lookout.ts';

test('[I11] a store that says at once that nothing has changed is not watched in a hot loop', async () => {
  const clock = new VirtualClock();
  const store = new MemoryDocumentStore({ clock });
  const stop = new AbortController();
  let watches = 0;
  store.watch = async () => {
    watches += 1;
    if (watches === 1000) stop.abort();
    return { position: '0', hasChanged: false, isWaitApplied: true };
  };
  const lookout = new Lookout({ clock, random: () => 0.5, acquireMs: 13_000, store, signal: stop.signal });

  const watching = lookout.watch();
  await clock.advance(60_000);
  stop.abort();
  await watching;

  expect(watches).toBeLessThan(120);
});
