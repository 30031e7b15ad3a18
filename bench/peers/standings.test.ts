import { describe, expect, test } from 'vitest';
import { Standings, standingOf } from './standings.ts';

const turnsOf = (...figures: number[]) =>
  figures.map((figure) => ({ figure, documents: 1, details: { p99Ms: figure * 2 } }));

describe('standings', () => {
  test('the median counts, and the spread is from the least to the most', () => {
    const standing = standingOf(turnsOf(90, 130, 100));

    expect(standing).toEqual({ figure: 100, least: 90, most: 130, spread: 0.4, details: { p99Ms: 200 } });
  });

  test('a ratio above 1 is ahead, also where less is better', () => {
    const standings = new Standings();
    standings.set('points', 'tidemark-http', turnsOf(300));
    standings.set('points', 'postgres', turnsOf(100));
    standings.set('latency', 'tidemark-http', turnsOf(2));
    standings.set('latency', 'postgres', turnsOf(6));

    expect(standings.ratio('points', 'tidemark-http', 'postgres')).toBe(3);
    expect(standings.ratio('latency', 'tidemark-http', 'postgres')).toBe(3);
    expect(standings.ratio('bulk', 'tidemark-http', 'postgres')).toBeUndefined();
  });
});
