import { expect, test } from 'vitest';
import type { Contestant } from './contest.ts';
import { contest, ratioOfRounds, standingOf } from './contest.ts';
import type { Drive } from './drive.ts';

/** Notes its turns, and has those rates in those that count. */
function contestantOf(name: string, rates: readonly number[], turns: string[] = []): Contestant {
  let taken = 0;
  return {
    name,
    turn: async (round) => {
      turns.push(name);
      return driven(round < 0 ? 1 : (rates[taken++ % rates.length] as number));
    },
  };
}

function driven(perSecond: number): Drive {
  const latencyMs = { p50: 1_000 / perSecond, p99: 2_000 / perSecond, max: 0 };
  return { operations: perSecond, elapsedMs: 1_000, acknowledgedMs: 1_000, processorMs: 500, latencyMs };
}

test('the measure has a turn before and behind each of the others', async () => {
  const turns: string[] = [];
  await contest(
    [contestantOf('a', [1], turns), { ...contestantOf('b', [1], turns), rounds: 0 }],
    1,
    contestantOf('log', [1], turns),
  );

  expect(turns.join(' ')).toBe('log a log b log log a log');
});

test('a ratio to the measure is one to the turns around it, whatever the others of the round were', async () => {
  const standings = await contest(
    [contestantOf('a', [10, 10, 10]), contestantOf('b', [30, 60, 90])],
    3,
    contestantOf('log', [10, 30, 90, 10, 30, 900, 10, 30, 9_000]),
  );

  expect(ratioOfRounds(standings, 'a', 'log')).toBe(0.5);
  expect(ratioOfRounds(standings, 'b', 'log')).toBeCloseTo(60 / 465);
  expect(ratioOfRounds(standings, 'a', 'log', 'latencyMs')).toBeCloseTo(100 / ((100 + 1_000 / 30) / 2));
  expect(standingOf(standings, 'log').rounds).toHaveLength(9);
  expect(standingOf(standings, 'b').perSecond).toBe(60);
});

test('ratios of others are those of one round', async () => {
  const contestants = [contestantOf('a', [10, 10, 10]), contestantOf('b', [20, 40, 80])];
  const standings = await contest(contestants, 3, contestantOf('log', [1, 7]));
  const without = await contest([contestantOf('a', [10, 10, 10]), contestantOf('b', [20, 40, 80])], 3);

  expect(ratioOfRounds(standings, 'a', 'b')).toBe(0.25);
  expect(ratioOfRounds(without, 'a', 'b')).toBe(0.25);
  expect(() => ratioOfRounds(without, 'a', 'log')).toThrow('Nobody called "log"');
});
