// BROKEN ON PURPOSE: a batch of its scan is put together of two, read at different moments, and says the tail of the first.

import type { RangeEngine, ScanBatch } from '@tidemark/engine/internal';
import { EngineWrapper } from './engine-wrapper.ts';

export class WanderingScanEngine extends EngineWrapper {
  override async scan(...[container, range, request]: Parameters<RangeEngine['scan']>): Promise<ScanBatch> {
    const itemsMax = Math.ceil(request.itemsMax / 20);
    const first = await this.inner.scan(container, range, { ...request, itemsMax });
    if (first.continuation === undefined) return first;
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    const rest = { ...request, from: first.continuation, itemsMax: request.itemsMax - first.documents.length };
    const second = await this.inner.scan(container, range, rest);
    return { ...second, documents: [...first.documents, ...second.documents], tail: first.tail };
  }
}
