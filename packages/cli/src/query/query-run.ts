// A query from its first page to its last, with its progress. Each page is shown when it is there.

import type { CallOptions } from '@tidemark/client';
import { waitingMs } from '../limits.ts';
import type { Progress } from '../progress.ts';
import { count, counted } from '../terminal.ts';
import type { Question, Target } from './ask.ts';
import { askPage } from './ask.ts';
import type { RowWriter } from './row-writer.ts';

export interface QueryRunOptions extends Omit<CallOptions, 'signal'> {
  readonly target: Target;
  readonly question: Question;
  readonly writer: RowWriter;
  readonly progress: Progress;
  /** Rows of a page; undefined leaves it to the server. */
  readonly itemsMax: number | undefined;
  /** Rows in all. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface QueryOutcome {
  readonly rows: number;
  /** Looked at; undefined where the account does not tell. */
  readonly documents: number | undefined;
  readonly charge: number;
  readonly timeMs: number;
  /** Undefined when it was stopped; the limit is an end as well. */
  readonly isComplete: boolean;
}

export async function runQuery(options: QueryRunOptions): Promise<QueryOutcome> {
  const { target, question, writer, progress, itemsMax, limit, signal, ...call } = options;
  const beganMs = performance.now();
  let reached: QueryOutcome = { rows: 0, documents: undefined, charge: 0, timeMs: 0, isComplete: false };
  let askedMs = beganMs;
  // A page that sorts or groups may take its time: somebody waits for it.
  const watch = setInterval(
    () => progress.show(`${reachedText(reached)}${waitText(performance.now() - askedMs)}`),
    waitingMs,
  );
  try {
    let continuation: string | undefined;
    do {
      askedMs = performance.now();
      const left = limit - reached.rows;
      const pageMax = left < (itemsMax ?? Number.POSITIVE_INFINITY) ? left : itemsMax;
      const page = await askPage(target, question, { ...call, continuation, itemsMax: pageMax, signal });
      const rows = page.rows.slice(0, left);
      const looked = page.metrics.get('retrievedDocumentCount');
      reached = {
        rows: reached.rows + rows.length,
        documents: looked === undefined ? reached.documents : (reached.documents ?? 0) + Number(looked),
        charge: reached.charge + page.charge,
        timeMs: performance.now() - beganMs,
        isComplete: page.continuation === undefined || rows.length === left,
      };
      if (rows.length > 0) {
        progress.end();
        await writer.write(rows);
      }
      if (!reached.isComplete) progress.show(reachedText(reached));
      continuation = page.continuation;
    } while (!reached.isComplete && !signal.aborted);
  } catch (error) {
    // A page that is under way can be asked for again: nobody has to wait for it.
    if (error !== signal.reason) throw error;
  } finally {
    clearInterval(watch);
    progress.end();
  }
  return reached;
}

/** `12 rows, 1,000 documents looked at, 12.5 RU`. */
export function reachedText({ rows, documents, charge }: QueryOutcome): string {
  const looked = documents === undefined ? [] : [`${counted(documents, 'documents')} looked at`];
  return [counted(rows, 'rows'), ...looked, `${count(Math.round(charge * 100) / 100)} RU`].join(', ');
}

function waitText(ms: number): string {
  return ms < waitingMs ? '' : `, waiting for the next page for ${Math.floor(ms / 1_000)} s`;
}
