// META FRAME: the first frame of every log segment. Its one record holds, as JSON, everything that is not documents: what a
// rebuild starts from when there is no index.

import type { FrameView } from '../log/frame.ts';
import { frameKind } from '../log/frame.ts';
import { encodeFrame } from '../log/frame-writer.ts';
import type { CatalogSnapshot } from '../state/catalog.ts';
import { catalogRun } from '../state/group.ts';
import type { RangePosition } from '../state/range.ts';

export interface Meta {
  readonly epoch: number;
  readonly catalog: CatalogSnapshot;
  readonly positions: readonly { readonly number: number; readonly position: RangePosition }[];
}

export function encodeMetaFrame(meta: Meta, salt: Buffer, sequence: number): Buffer {
  return encodeFrame({
    kind: frameKind.meta,
    salt,
    sequence,
    firstOrdinal: 0,
    runs: [catalogRun(JSON.stringify([meta]))],
  });
}

/** The frame's checksums have been verified: it is what encodeMetaFrame wrote. */
export function decodeMetaFrame(view: FrameView): Meta {
  return (JSON.parse(view.body(0).toString('utf8')) as [Meta])[0];
}

/** META occupies the first ordinal of its segment. */
export const metaRecords = 1;
