// What a run leaves behind: the table, the goals, the JSON, the chart and the part of the README.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chartSvg } from './chart.ts';
import type { Present } from './contest.ts';
import type { ContestantId } from './contestants.ts';
import { contestantOf, contestants } from './contestants.ts';
import { goalLines, goals, judge } from './goals.ts';
import { readPeersOptions } from './options.ts';
import { readmeTable, withTable } from './readme-table.ts';
import type { Result } from './result.ts';
import { ratiosOf, resultOf } from './result.ts';
import { Standings } from './standings.ts';
import { tableText } from './table.ts';
import type { WorkId } from './works.ts';

const options = readPeersOptions(['--only', 'catch-up,latency,upserts-64'], '/nowhere');
const present: Present[] = [
  { id: 'tidemark-http', version: '0.1.0' },
  { id: 'tidemark-embedded', version: '0.1.0' },
  { id: 'postgres', version: '15.1' },
  { id: 'vercel-http', version: '1.0.1' },
];
const figures: readonly (readonly [WorkId, ContestantId, readonly number[]])[] = [
  ['catch-up', 'tidemark-http', [200_000, 220_000, 210_000]],
  ['catch-up', 'tidemark-embedded', [900_000, 900_000, 900_000]],
  ['catch-up', 'postgres', [70_000, 70_000, 70_000]],
  ['latency', 'tidemark-http', [1.5, 1.4, 1.6]],
  ['latency', 'postgres', [3, 3, 3]],
  ['upserts-64', 'tidemark-http', [9_000, 9_000, 9_000]],
  ['upserts-64', 'tidemark-embedded', [30_000, 30_000, 30_000]],
  ['upserts-64', 'postgres', [6_000, 6_000, 6_000]],
  ['upserts-64', 'vercel-http', [3_000, 3_000, 3_000]],
];

function standingsHere(): Standings {
  const standings = new Standings();
  for (const [work, id, list] of figures) {
    standings.set(
      work,
      id,
      list.map((figure) => ({ figure, documents: 1, details: {} })),
    );
  }
  standings.fail('latency', 'tidemark-embedded', 'it failed: no reason');
  return standings;
}

function resultHere(rounds = 3): Result {
  const standings = standingsHere();
  const verdicts = judge(standings, options.works);
  const facts = {
    time: '2026-01-02T03:04:05Z',
    commit: 'abc',
    documents: 4_000,
    rounds,
    cores: 2,
    placement: 'apart',
  };
  const leftOut = [{ id: 'redis' as const, reason: 'it could not be installed: no <network> & no luck' }];
  return resultOf({ facts, standings, options, present, leftOut, verdicts });
}

describe('the table', () => {
  const lines = tableText({
    standings: standingsHere(),
    works: options.works,
    contestants: present.map(({ id }) => contestantOf(id)),
  }).split('\n');

  test('has a line for everybody at every work, with the ratios of Tidemark to it', () => {
    expect(lines.filter((line) => line.startsWith('PostgreSQL'))).toHaveLength(3);
    const [catchUp = '', latency = ''] = lines.filter((line) => line.startsWith('PostgreSQL'));
    expect(catchUp).toMatch(/70\.0 k\/s +0 % +3\.00 +12\.9 +on disk/);
    expect(latency).toMatch(/3\.00 ms +0 % +2\.00 +on disk/);
    expect(lines.find((line) => line.startsWith('Tidemark, HTTP'))).toMatch(/210 k\/s +10 % /);
  });

  test('says why somebody has no figure', () => {
    expect(lines.find((line) => line.startsWith('@vercel'))).toContain('–  it has no change feed');
    expect(lines.filter((line) => line.startsWith('Tidemark, embedded'))[1]).toContain('–  it failed: no reason');
  });
});

describe('goals', () => {
  test('hold, are missed, or could not be looked at', () => {
    const lines = goalLines(judge(standingsHere(), options.works));

    expect(lines).toContain('MISSED  over HTTP twice PostgreSQL on single upserts, upserts-64: 1.50 of at least 2');
    expect(lines).toContain('holds   over HTTP ahead of PostgreSQL on feed catch-up, catch-up: 3.00 of at least 1');
    expect(lines).toContain(
      'holds   embedded ahead of PostgreSQL on writes, both on disk, upserts-64: 5.00 of at least 1',
    );
    expect(lines.at(-1)).toMatch(/^Not looked at: over HTTP ahead of PouchDB; /);
  });

  test('ask for nothing that a peer does not offer, and leave no peer out', () => {
    const asked = judge(new Standings(), readPeersOptions([], '/nowhere').works);

    expect(asked.filter(({ goal, work }) => contestantOf(goal.peer).lacks[work] !== undefined)).toEqual([]);
    const peers = contestants.filter(({ isTidemark }) => !isTidemark).map(({ id }) => id);
    expect(new Set(goals.map(({ peer }) => peer))).toEqual(new Set(peers));
  });
});

describe('the JSON', () => {
  test('has the ratios by work, peer and way', () => {
    expect(ratiosOf(standingsHere(), options.works, present)).toEqual({
      'catch-up': { postgres: { http: 3, embedded: 12.86 } },
      latency: { postgres: { http: 2 } },
      'upserts-64': { postgres: { http: 1.5, embedded: 5 }, 'vercel-http': { http: 3, embedded: 10 } },
    });
  });

  test('has a figure or a reason for everybody', () => {
    for (const { figures: found, reasons } of resultHere().works) {
      expect([...Object.keys(found), ...Object.keys(reasons)].sort()).toEqual(present.map(({ id }) => id).sort());
    }
  });
});

describe('the chart', () => {
  const svg = chartSvg(resultHere());

  test('is well-formed', () => {
    const open: string[] = [];
    for (const [tag, slash, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
      if (slash === '/') expect(open.pop(), tag).toBe(name);
      else if (!rest.endsWith('/')) open.push(name);
    }
    expect(open).toEqual([]);
    expect(svg.replaceAll(/<[^>]*>|&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<&]/);
  });

  test('has bars as long as the figures, and follows a dark page', () => {
    const widths = [...svg.matchAll(/<rect class="(?:ours|peer)[^"]*" x="206"[^>]* width="([\d.]+)"/g)].map(
      firstNumber,
    );
    expect(widths).toHaveLength(figures.length);
    const [http = 0, embedded = 0, postgres = 0] = widths;
    expect(http / embedded).toBeCloseTo(210 / 900, 2);
    expect(postgres / embedded).toBeCloseTo(70 / 900, 2);
    expect(svg).toContain('prefers-color-scheme: dark');
  });
});

describe('the README', () => {
  test('has the place for the table, which is put there and nowhere else', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const table = readmeTable(resultHere());
    const changed = withTable(readme, table);

    expect(changed).toContain(table);
    expect(withTable(changed, table)).toBe(changed);
    const around = (text: string) => text.replace(/<!-- peers -->[\s\S]*<!-- \/peers -->/, '');
    expect(around(changed)).toBe(around(readme));
    expect(() => withTable('no markers', table)).toThrow('<!-- peers -->');
  });

  test('the table says what was missed and who was left out', () => {
    const table = readmeTable(resultHere());

    expect(table).toContain(
      '| PostgreSQL 15.1 | on disk (fsync, synchronous_commit) | 70.0 k/s (3.00) | 3.00 ms (2.00) | 6.0 k/s (1.50) |',
    );
    expect(table).toContain('Not: over HTTP twice PostgreSQL on single upserts (upserts-64 1.50).');
    expect(table).toContain('Left out: Redis Streams: it could not');
  });

  test('table and chart do not speak of the median of a single round', () => {
    expect(readmeTable(resultHere())).toContain('keys, median of 3 rounds, 2 cores');
    expect(readmeTable(resultHere(1))).toContain('keys, one round, 2 cores');
    expect(chartSvg(resultHere(1))).toContain('of 1 KiB, one round, 2 cores');
  });
});

function firstNumber([, text]: RegExpMatchArray): number {
  return Number(text);
}
