// BROKEN ON PURPOSE: ends a page at the number of items asked for, also in the middle of a transaction. Nothing is lost, the
// next page brings the rest: its position is a fraction between two LSNs. Still a consumer sees half a transaction.

import type { FeedPage, FeedRequest, FeedScope } from '@tidemark/engine/internal';
import { EngineWrapper } from './engine-wrapper.ts';

interface Item {
  readonly _lsn?: number;
  readonly metadata?: { readonly lsn: number };
}

/** More than a transaction has members. */
const membersMax = 1_000;

export class CuttingEngine extends EngineWrapper {
  override async feed(scope: FeedScope, request: FeedRequest): Promise<FeedPage> {
    const whole = Math.floor(request.after);
    const skipped = Math.round((request.after - whole) * membersMax);
    const page = await this.inner.feed(scope, { ...request, after: whole, itemsMax: request.itemsMax + skipped });
    const all = JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as Item[];
    const items = all.slice(skipped, skipped + request.itemsMax);
    const isCut = skipped + items.length < all.length;
    if (skipped === 0 && !isCut) return page;
    return {
      ...page,
      pieces: [Buffer.from(items.map((item) => JSON.stringify(item)).join(','))],
      count: items.length,
      last: isCut ? positionAfter(all, skipped + items.length, whole) : page.last,
      isDrained: !isCut && page.isDrained,
    };
  }
}

/** The LSN before the cut one, and how many of its members have been shown as thousandths. */
function positionAfter(items: readonly Item[], end: number, after: number): number {
  const lsn = lsnOf(items[end]);
  const first = items.findIndex((item) => lsnOf(item) === lsn);
  const before = first === 0 ? after : lsnOf(items[first - 1]);
  return before + (end - first) / membersMax;
}

function lsnOf(item: Item | undefined): number {
  return item?._lsn ?? item?.metadata?.lsn ?? 0;
}
