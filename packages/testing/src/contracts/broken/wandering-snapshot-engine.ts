// BROKEN ON PURPOSE: its scans show what there is now, whatever the snapshot.

import type { RangeEngine, ScanBatch } from '@tidemark/engine/internal';
import { EngineWrapper } from './engine-wrapper.ts';

export class WanderingSnapshotEngine extends EngineWrapper {
  override scan(...[container, range, { snapshot, ...request }]: Parameters<RangeEngine['scan']>): Promise<ScanBatch> {
    return this.inner.scan(container, range, request);
  }
}
