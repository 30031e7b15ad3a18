import { EventEmitter } from 'node:events';
import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { parkedRequestsMax, wakesPerTurn } from './limits.ts';
import type { Client, Wake, Watched } from './waiting-room.ts';
import { WaitingRoom } from './waiting-room.ts';

/** What is watched: `wake` is the commit. */
function source(): Watched & { wake(): void; readonly watching: number } {
  const callbacks = new Set<() => void>();
  return {
    watch(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    wake() {
      for (const callback of [...callbacks]) {
        callbacks.delete(callback);
        callback();
      }
    },
    get watching() {
      return callbacks.size;
    },
  };
}

// The emitter is all of a response that the room looks at.
const client = (): Client & EventEmitter =>
  Object.assign(new EventEmitter(), { destroyed: false, req: { headers: {}, forgetHead() {} } }) as never;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('waiting room', () => {
  test('[B1] [engine 10] a request beyond the limit is not parked; one that leaves makes room', async () => {
    const room = new WaitingRoom();
    const feed = source();
    const shared = client();
    shared.setMaxListeners(0);
    const waits = Array.from({ length: parkedRequestsMax }, () => room.wait(feed, 1_000, shared));
    expect(waits).not.toContain(undefined);
    expect([room.count, room.wait(feed, 1_000, client())]).toEqual([parkedRequestsMax, undefined]);
    shared.emit('close');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['left']));
    expect([room.count, feed.watching, shared.listenerCount('close')]).toEqual([0, 0, 0]);
    const next = room.wait(feed, 1_000, client());
    feed.wake();
    expect(await next).toBe('more');
  });

  test('[B1] the lag of whoever a commit woke is noted once, when it is answered, and of nobody else', async () => {
    const room = new WaitingRoom();
    const feed = source();
    const [woken, again, gone, late] = [client(), client(), client(), client()];
    const waits = [woken, again, gone].map((each) => room.wait(feed, 1_000, each));
    feed.wake();
    await Promise.all(waits);
    void room.wait(feed, 1_000, again);
    room.forget(gone);
    expect(await room.wait(feed, 0, late)).toBe('time');
    for (const each of [woken, woken, again, gone, late]) room.answered(each);

    expect(room.lagSeconds.counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(room.lagSeconds.sum).toBeGreaterThan(0);
    room.close();
  });

  test('[B1] those a commit wakes go on a few a turn, in the order in which they came', async () => {
    const room = new WaitingRoom();
    const feed = source();
    const woken: number[] = [];
    const count = wakesPerTurn * 3 + 1;
    for (let i = 0; i < count; i += 1) void room.wait(feed, 1_000, client())?.then(() => woken.push(i));
    feed.wake();
    expect(woken).toHaveLength(0);
    await turn();
    expect(woken).toHaveLength(wakesPerTurn);
    while (woken.length < count) await turn();
    expect(woken).toEqual(Array.from({ length: count }, (_, i) => i));
    expect(room.count).toBe(0);
  });

  test('[B1] closing ends every wait, and parks no more', async () => {
    const room = new WaitingRoom();
    const feed = source();
    const waits = Array.from({ length: 5 }, () => room.wait(feed, 1_000, client()));
    room.close();
    waits.push(room.wait(feed, 1_000, client()));
    expect(await Promise.all(waits)).toEqual(new Array<Wake>(6).fill('closing'));
    expect([room.count, feed.watching]).toEqual([0, 0]);
  });

  test('[B1] who has gone, who has something already and who finds the engine full do not wait', async () => {
    const room = new WaitingRoom();
    const gone = client();
    Object.assign(gone, { destroyed: true });
    expect(await room.wait(source(), 1_000, gone)).toBe('left');
    expect(await room.wait({ watch: () => undefined }, 1_000, client())).toBe('more');
    const full = new DatabaseError('too-many-requests', 'No room.');
    const refuse = (error: Error): Watched => ({
      watch: () => {
        throw error;
      },
    });
    expect(room.wait(refuse(full), 1_000, client())).toBeUndefined();
    expect(() => room.wait(refuse(new DatabaseError('range-gone', 'Gone.')), 1_000, client())).toThrow('Gone.');
    expect(room.count).toBe(0);
  });
});
