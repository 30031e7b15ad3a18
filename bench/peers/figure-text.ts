// Figures for people.

import type { Work } from './works.ts';

export function figureText(work: Work, figure: number): string {
  return work.unit === 'ms' ? `${figure.toFixed(figure < 10 ? 2 : 1)} ms` : `${rateText(figure)}/s`;
}

export function rateText(figure: number): string {
  if (figure >= 1_000_000) return `${(figure / 1_000_000).toFixed(2)} M`;
  if (figure >= 100_000) return `${(figure / 1_000).toFixed(0)} k`;
  if (figure >= 1_000) return `${(figure / 1_000).toFixed(1)} k`;
  return figure.toFixed(0);
}

export function ratioText(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);
}

/** What the figures are made of. */
export function roundsText(rounds: number): string {
  return rounds === 1 ? 'one round' : `median of ${rounds} rounds`;
}
