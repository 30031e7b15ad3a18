// What Tidemark wants to be.

import type { HostileResult, SizeResult } from './result.ts';

export interface Goal {
  readonly text: string;
  readonly figure: number;
  readonly kind: 'at least' | 'at most';
  readonly bound: number;
  readonly isHeld: boolean;
}

const documentsPerSecondMin = 300_000;
const latencyRatioMax = 2;

/** Of what was measured. */
export function goalsOf(sizes: readonly SizeResult[], hostile: readonly HostileResult[]): readonly Goal[] {
  const scans = sizes.flatMap(({ documents, figures, ratios }) => {
    const figure = figures.filter?.embedded?.perSecond;
    if (figure === undefined) return [];
    const text = `a scan with a filter, embedded, ${documents} documents`;
    const beside = Object.entries(ratios.filter?.['embedded'] ?? {}).map(([peer, ratio]) =>
      atLeast(`${text}: ahead of ${peer}`, ratio, 1),
    );
    return [atLeast(`${text}: documents a second`, figure, documentsPerSecondMin), ...beside];
  });
  const latencies = hostile.flatMap(({ connections, documents, figures }) =>
    Object.entries(figures)
      .filter(([name]) => name !== 'quiet')
      .flatMap(([name, { p50Ratio, p99Ratio }]) => {
        const text = `reads of ${connections} in flight beside "${name}", ${documents} documents`;
        return [atMost(`${text}: p50`, p50Ratio), atMost(`${text}: p99`, p99Ratio)];
      }),
  );
  return [...scans, ...latencies];
}

export function goalLines(goals: readonly Goal[]): string[] {
  return goals.map(
    ({ text, figure, kind, bound, isHeld }) => `${isHeld ? 'holds ' : 'MISSED'}  ${text}: ${figure}, ${kind} ${bound}`,
  );
}

function atLeast(text: string, figure: number, bound: number): Goal {
  return { text, figure, kind: 'at least', bound, isHeld: figure >= bound };
}

function atMost(text: string, figure: number): Goal {
  return { text, figure, kind: 'at most', bound: latencyRatioMax, isHeld: figure <= latencyRatioMax };
}
