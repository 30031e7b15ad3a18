// A split in the middle of a load: how far the throughput dips, and that nothing is lost.

import { drive, median } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { documentOf } from './documents.ts';
import type { Setting } from './setting.ts';

const windowMs = 50;
const keys = 20_000;

export async function measureSplit({ report, options, one, chance }: Setting): Promise<void> {
  showProgress('split under load');
  report.section('split under load, 64 writers');
  const container = await one.beside(`split-${keys}`);
  const halfMs = options.isQuick ? 600 : 4_000;
  const windows: number[] = [];
  const written = new Set<number>();
  const startedMs = performance.now();
  let version = 0;
  const writing = drive({ writers: 64, turnMs: halfMs * 2, settle: one.settle }, async () => {
    const n = chance(keys);
    version += 1;
    await container.upsert(documentOf(n, version));
    written.add(n);
    const window = Math.floor((performance.now() - startedMs) / windowMs);
    windows[window] = (windows[window] ?? 0) + 1;
  });
  await new Promise((resolve) => setTimeout(resolve, halfMs));
  const parent = container.ranges[0];
  if (parent === undefined) throw new Error('The container has no range.');
  const splitAtMs = performance.now();
  const children = await container.split(parent.id);
  const splitMs = performance.now() - splitAtMs;
  const driven = await writing;

  const rates = Array.from({ length: Math.floor((halfMs * 2) / windowMs) }, (_, i) => windows[i] ?? 0);
  const at = Math.floor((splitAtMs - startedMs) / windowMs);
  const before = median(rates.slice(Math.floor(at / 2), at));
  const around = Math.min(...rates.slice(at, at + 4));
  const after = median(rates.slice(at + 4));
  const perSecond = (count: number): number => (count / windowMs) * 1_000;
  report.add({ id: 'split-ms', label: 'the split itself', figure: splitMs, unit: 'ms' });
  report.add({
    id: 'split-dip',
    label: `slowest ${windowMs} ms around it`,
    figure: perSecond(around),
    unit: '/s',
    against: { name: 'before', figure: perSecond(before) },
  });
  report.add({
    id: 'split-after',
    label: 'after it',
    figure: perSecond(after),
    unit: '/s',
    against: { name: 'before', figure: perSecond(before) },
  });

  // Every acknowledged write took one LSN, before the split in the parent and after it in one of its children.
  const base = children[0]?.tailLsn ?? 0;
  const commits = container.ranges.reduce((sum, range) => sum + range.tailLsn - base, base);
  const seen = new Set<string>();
  const feed = container.changes({ itemsMax: 1_000 });
  for (let page = await feed.page(); page.count > 0 || !page.isDrained; page = await feed.page()) {
    const text = Buffer.concat(page.pieces).toString('utf8');
    for (const change of JSON.parse(`[${text}]`) as { id: string }[]) seen.add(change.id);
  }
  const lost = driven.operations - commits + (written.size - seen.size);
  const bound = { kind: 'at most', floor: 0 } as const;
  report.add({ id: 'split-lost', label: 'writes lost', figure: lost, unit: `of ${driven.operations}`, bound });
}
