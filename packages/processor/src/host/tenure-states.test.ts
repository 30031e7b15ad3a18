import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { TenureEvent, TenureState } from './tenure-states.ts';
import { tenureTable } from './tenure-states.ts';

// The type of the table guarantees its keys.
const states = Object.keys(tenureTable) as TenureState[];
const events = Object.keys(tenureTable.opening) as TenureEvent[];

function next(state: TenureState): Set<TenureState> {
  return new Set(events.map((event) => tenureTable[state][event]).filter((step) => step !== '-' && step !== '!'));
}

function reachable(from: TenureState): Set<TenureState> {
  const seen = new Set<TenureState>([from]);
  for (const state of seen) for (const step of next(state)) seen.add(step);
  return seen;
}

describe('the table of tenures', () => {
  test('every state is reached from the first, and every one can end', () => {
    expect(reachable('opening')).toEqual(new Set(states));
    for (const state of states) expect(reachable(state)).toContain('ended');
  });

  test('SPEC.md shows it as it is', () => {
    const spec = readFileSync(new URL('../../SPEC.md', import.meta.url), 'utf8');
    const shown = spec.split('<!-- tenure table -->')[1]?.split('<!-- /tenure table -->')[0]?.trim();

    const rows = events.map((event) => row([event, ...states.map((state) => tenureTable[state][event])]));

    expect(shown).toBe([row(['event', ...states]), `|${'---|'.repeat(states.length + 1)}`, ...rows].join('\n'));
  });

  test('[I10] what has ended stays ended, and what closes only ends', () => {
    expect(next('ended')).toEqual(new Set());
    expect(next('closing')).toEqual(new Set(['ended']));
  });

  test('[D2] losing the lease ends every state in which changes may be delivered', () => {
    for (const state of ['opening', 'running', 'draining', 'pausing', 'redirecting'] as const) {
      expect(tenureTable[state].lost).toBe('aborting');
      expect(tenureTable[state].fenced).toBe('aborting');
    }
    expect(next('aborting')).toEqual(new Set(['closing']));
  });

  test('[D13] a pump runs in no state that the observer was closed for', () => {
    for (const state of ['parking', 'parked', 'closing', 'ended'] as const)
      expect(next(state)).not.toContain('running');
  });

  test('[D16] a drain that takes too long is aborted', () => {
    for (const state of ['draining', 'redirecting'] as const) expect(tenureTable[state].overdue).toBe('aborting');
    expect(tenureTable.aborting.overdue).toBe('closing');
  });
});

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
