// The note of a position that is set anew is there before the lease has it, whatever else is under way.

import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { FaultyStore, unavailable } from '../../test/core/faulty-store.ts';
import type { Lease } from '../lease/lease.ts';
import { sidecarId } from '../lease/lease-names.ts';
import { MemoryDocumentStore } from '../store/memory-store.ts';
import { PositionNote } from './position-notes.ts';

const names = { prefix: 'p', all: 'p.', leases: 'p..', marker: 'p.info', lock: 'p.lock' };
// Of a lease nothing else is looked at.
const lease = { token: '0', keys: { min: '', max: 'FF' } } as Lease;

function bench() {
  const clock = new VirtualClock();
  const memory = new MemoryDocumentStore({ clock });
  const store = new FaultyStore(memory);
  const note = new PositionNote({ clock, random: () => 0.5, store, signal: undefined }, names, '0', 1, 17_000);
  const stored = async (): Promise<unknown> => (await memory.read(sidecarId(names, 'position', '0')))?.body['position'];
  return { clock, store, note, stored };
}

test('[S23] [S32] it is written behind one that is on its way', async () => {
  const { store, note, stored } = bench();
  const create = store.create.bind(store);
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.create = async (body) => {
    await isReleased;
    return create(body);
  };

  const former = note.note(lease, '"5"', true);
  const next = note.moveFirst(lease, '"15"');
  release();
  await Promise.all([former, next]);

  expect(await stored()).toBe('"15"');
});

test('[S23] [S32] where it cannot be written its caller hears of it, and the next write of the lease tries again', async () => {
  const { store, note, stored } = bench();
  store.fault = () => unavailable;

  await expect(note.moveFirst(lease, '"15"')).rejects.toBe(unavailable);
  await note.note(lease, '"16"', true);
  store.fault = () => undefined;
  await note.note(lease, '"17"', false);

  expect(await stored()).toBe('"17"');
});
