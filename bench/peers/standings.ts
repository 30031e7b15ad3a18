// What the turns of all contestants come to: the median of each, and how far apart its turns were.

import { median } from '../common/drive.ts';
import type { ContestantId } from './contestants.ts';
import type { Turn } from './measure/turn.ts';
import type { WorkId } from './works.ts';
import { ratioOf, workOf } from './works.ts';

export interface Standing {
  readonly figure: number;
  readonly least: number;
  readonly most: number;
  /** From the least to the most, as a share of the median. */
  readonly spread: number;
  readonly details: Readonly<Record<string, number>>;
}

export class Standings {
  readonly #standings = new Map<string, Standing>();
  readonly #failures = new Map<string, string>();

  set(work: WorkId, id: ContestantId, turns: readonly Turn[]): void {
    this.#standings.set(`${work} ${id}`, standingOf(turns));
  }

  /** A contestant that failed at a work has no figure there, and a reason. */
  fail(work: WorkId, id: ContestantId, reason: string): void {
    this.#failures.set(`${work} ${id}`, reason);
  }

  get(work: WorkId, id: ContestantId): Standing | undefined {
    return this.#standings.get(`${work} ${id}`);
  }

  failure(work: WorkId, id: ContestantId): string | undefined {
    return this.#failures.get(`${work} ${id}`);
  }

  /** How many times as good as the other one is; undefined where one of them has no figure. */
  ratio(work: WorkId, one: ContestantId, other: ContestantId): number | undefined {
    const figure = this.get(work, one)?.figure;
    const otherFigure = this.get(work, other)?.figure;
    if (figure === undefined || otherFigure === undefined) return undefined;
    return ratioOf(workOf(work), figure, otherFigure);
  }
}

export function standingOf(turns: readonly Turn[]): Standing {
  const figures = turns.map(({ figure }) => figure);
  const figure = median(figures);
  const least = Math.min(...figures);
  const most = Math.max(...figures);
  const names = Object.keys(turns[0]?.details ?? {});
  const details = Object.fromEntries(names.map((name) => [name, median(turns.map((turn) => turn.details[name] ?? 0))]));
  return { figure, least, most, spread: (most - least) / figure, details };
}
