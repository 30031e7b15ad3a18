// The work that everybody does, in the order it is done in: whatever reads the whole feed comes before the writes, so that
// all have the same documents in it.

export interface Work {
  readonly id: WorkId;
  readonly label: string;
  /** For the head of a column. */
  readonly short: string;
  readonly unit: '/s' | 'ms';
  /** Of figures in this unit, which is the better one. */
  readonly better: 'more' | 'less';
}

export type WorkId = 'catch-up' | 'group' | 'points' | 'latency' | 'upserts-1' | 'upserts-64' | 'upserts-256' | 'bulk';

export const consumers = 4;
export const bulkDocuments = 100;
export const bulksInFlight = 8;
export const pointsInFlight = 64;
/** Pieces that the documents are divided into by their partition key, by everybody who divides them at all. */
export const ranges = 8;
export const feedPageDocuments = 1_000;
export const groupBatchDocuments = 100;

export const works: readonly Work[] = [
  { id: 'catch-up', label: 'feed from the beginning, documents', short: 'whole feed', unit: '/s', better: 'more' },
  {
    id: 'group',
    label: `group of ${consumers}, checkpoint every ${groupBatchDocuments}, documents`,
    short: 'group',
    unit: '/s',
    better: 'more',
  },
  { id: 'points', label: `point reads, ${pointsInFlight} in flight`, short: 'point reads', unit: '/s', better: 'more' },
  {
    id: 'latency',
    label: 'latency, write to waiting consumer, median',
    short: 'latency',
    unit: 'ms',
    better: 'less',
  },
  { id: 'upserts-1', label: 'upserts, 1 in flight', short: 'upserts, 1', unit: '/s', better: 'more' },
  { id: 'upserts-64', label: 'upserts, 64 in flight', short: 'upserts, 64', unit: '/s', better: 'more' },
  { id: 'upserts-256', label: 'upserts, 256 in flight', short: 'upserts, 256', unit: '/s', better: 'more' },
  {
    id: 'bulk',
    label: `bulks of ${bulkDocuments}, ${bulksInFlight} in flight, documents`,
    short: 'bulk',
    unit: '/s',
    better: 'more',
  },
];

export function workOf(id: WorkId): Work {
  return works.find((work) => work.id === id) as Work; // Every id has one.
}

/** How many times as good as `other` the figure is. */
export function ratioOf(work: Work, figure: number, other: number): number {
  return work.better === 'more' ? figure / other : other / figure;
}
