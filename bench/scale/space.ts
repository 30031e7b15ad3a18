// The room that the log may take: twice what must be kept, and four segments for what is being written and rewritten.

const segmentBytes: number = 64 * 1024 * 1024;

export function allowedBytes(keptBytes: number): number {
  return 2 * keptBytes + 4 * segmentBytes;
}
