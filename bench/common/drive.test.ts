import { describe, expect, it } from 'vitest';
import { drive, perSecond, SteadyTurn } from './drive.ts';

describe('drive', () => {
  it('counts every operation without a ramp', async () => {
    let done = 0;
    const driven = await drive({ writers: 4, operations: 10 }, async () => {
      done += 1;
    });

    expect(driven.operations).toBe(10);
    expect(done).toBe(10);
  });

  it('counts after a ramp what is acknowledged in the turn, whenever it was begun', async () => {
    // One after the other, 10 ms each, with twenty in flight: each takes 200 ms.
    const turn = new SteadyTurn(1_000, 400);
    for (let atMs = 10; atMs <= 2_000; atMs += 10) turn.acknowledged(atMs - 200, atMs);

    const driven = await turn.ended(undefined);

    expect(driven.operations).toBe(40);
    expect(perSecond(driven)).toBe(100);
    expect(driven.latencyMs.p50).toBe(200);
  });

  it('counts as many groups as go by in the turn', async () => {
    // Seven at a time, every 50 ms.
    const turn = new SteadyTurn(1_000, 400);
    for (let atMs = 50; atMs <= 2_000; atMs += 50) {
      for (let i = 0; i < 7; i += 1) turn.acknowledged(atMs - 50, atMs);
    }

    const driven = await turn.ended(undefined);

    expect(perSecond(driven)).toBe(140);
  });

  it('takes as long as it should although the first acknowledgement comes late', async () => {
    // Seven at a time, every 700 ms.
    const turn = new SteadyTurn(300, 300);
    for (let atMs = 700; atMs <= 2_100; atMs += 700) {
      for (let i = 0; i < 7; i += 1) turn.acknowledged(atMs - 700, atMs);
    }

    const driven = await turn.ended(undefined);

    expect(driven.elapsedMs).toBe(700);
    expect(perSecond(driven)).toBe(10);
  });

  it('goes on with a ramp until the turn is over, however slow operations are', async () => {
    const driven = await drive({ writers: 2, rampMs: 1, turnMs: 1 }, () => new Promise((done) => setImmediate(done)));

    expect(driven.elapsedMs).toBeGreaterThanOrEqual(1);
    expect(driven.operations).toBeGreaterThan(0);
  });

  it('says so when it was not over', async () => {
    await expect(new SteadyTurn(1_000, 400).ended(undefined)).rejects.toThrow('ended before the turn');
  });
});
