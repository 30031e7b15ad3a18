// From the commit to a reader who waits at the end of the feed.

import { quantiles } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { documentOf } from './documents.ts';
import type { Setting } from './setting.ts';

/** One write at a time; the reader parses what it gets, as `for await` does. */
export async function measureTail({ report, options, one }: Setting): Promise<void> {
  showProgress('tail');
  report.section('tail: one writer, one reader with `for await`');
  const writes = options.isQuick ? 300 : 3_000;
  const stop = new AbortController();
  const feed = one.container.changes({ from: 'now', signal: stop.signal });
  let onChange: (() => void) | undefined;
  const reader = (async () => {
    for await (const _ of feed) onChange?.();
  })();
  const called: number[] = [];
  const acknowledged: number[] = [];
  for (let i = 0; i < writes; i += 1) {
    const seen = new Promise<number>((resolve) => {
      onChange = () => resolve(performance.now());
    });
    const calledMs = performance.now();
    await one.container.upsert(documentOf(i, i));
    const acknowledgedMs = performance.now();
    const seenMs = await seen;
    called.push(seenMs - calledMs);
    acknowledged.push(Math.max(0, seenMs - acknowledgedMs));
  }
  stop.abort();
  await reader;
  const fromCall = quantiles(called);
  const fromAcknowledgement = quantiles(acknowledged);
  const add = (id: string, label: string, figure: number): void => report.add({ id, label, figure, unit: 'ms' });
  add('tail-call-p50', 'call of the write → reader, p50', fromCall.p50);
  add('tail-call-p99', 'call of the write → reader, p99', fromCall.p99);
  add('tail-ack-p50', 'acknowledgement → reader, p50', fromAcknowledgement.p50);
  add('tail-ack-p99', 'acknowledgement → reader, p99', fromAcknowledgement.p99);
}
