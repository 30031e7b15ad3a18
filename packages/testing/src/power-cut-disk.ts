// A disk that remembers what is durable and what is not, and what a power cut may make of it.
//
// BYTES. A file has its current content, which everybody reads, and its durable content, which a sync brings up to date.
// Between them lie the pending writes. A power cut keeps each of them whole, in part or not at all, independently of the
// others and of their order; the unit that is never torn is a sector of 512 bytes. The size may be the durable one, the
// current one, or anything between.
//
// NAMES. Likewise folders have current and durable names and, between them, pending creates, renames and removes, which a
// sync of the folder makes durable. A power cut keeps or forgets each of them independently: a created file vanishes with
// its synced bytes, a rename is undone, a removed file is back with its durable bytes. A folder is a name in its parent; a
// folder that is forgotten takes its files along.

import type { SeededRandom } from './seeded-random.ts';
import { SparseBytes } from './sparse-bytes.ts';

const sectorBytes = 512;

/** Torn writes of more sectors than this are torn in a few long runs instead of sector by sector. */
const singleSectorsMax = 64;

export class DiskFile {
  readonly current: SparseBytes;
  readonly #durable: SparseBytes;
  #pending: PendingWrite[] = [];

  constructor(content: SparseBytes = new SparseBytes()) {
    this.current = content;
    this.#durable = content.copy();
  }

  write(bytes: Uint8Array, offset: number): void {
    // A copy, which `slice` of a Buffer is not: whoever wrote may use the memory again before anything is durable.
    const write = { offset, length: bytes.length, bytes: new Uint8Array(bytes) };
    applyTo(this.current, write, 0, write.length);
    this.#pending.push(write);
  }

  zero(length: number): void {
    this.current.zero(0, length);
    this.#pending.push({ offset: 0, length, bytes: undefined });
  }

  /** What is pending now. Later writes are not covered by a sync that begins now. */
  beginSync(): readonly PendingWrite[] {
    return [...this.#pending];
  }

  /** A write that another sync has made durable meanwhile is left alone: a newer one may lie over it. */
  endSync(covered: readonly PendingWrite[]): void {
    const done = new Set(covered);
    for (const write of this.#pending) if (done.has(write)) applyTo(this.#durable, write, 0, write.length);
    this.#pending = this.#pending.filter((write) => !done.has(write));
  }

  afterCut(random: SeededRandom): SparseBytes {
    const content = this.#durable.copy();
    const durableBytes = content.sizeBytes;
    for (const write of this.#pending) {
      for (const [from, to] of survivingParts(write, random)) applyTo(content, write, from, to);
    }
    const grownBytes = Math.max(content.sizeBytes, this.current.sizeBytes) - durableBytes;
    const sizes = [
      durableBytes,
      content.sizeBytes,
      durableBytes + grownBytes,
      durableBytes + random.int(grownBytes + 1),
    ];
    content.resize(random.pick(sizes));
    return content;
  }
}

export interface PendingWrite {
  readonly offset: number;
  readonly length: number;
  /** Undefined for zeros. */
  readonly bytes: Uint8Array | undefined;
}

function applyTo(content: SparseBytes, write: PendingWrite, from: number, to: number): void {
  if (write.bytes) content.write(write.bytes.subarray(from, to), write.offset + from);
  else content.zero(write.offset + from, to - from);
}

/** Parts [from, to) of the write that reach the disk. */
function survivingParts(write: PendingWrite, random: SeededRandom): [number, number][] {
  const fate = random.pick(['kept', 'dropped', 'torn'] as const);
  if (fate === 'dropped') return [];
  if (fate === 'kept') return [[0, write.length]];
  const sectors = sectorsOf(write);
  const runs = sectors.length <= singleSectorsMax ? sectors : longRuns(sectors, random);
  return runs.filter(() => random.bool());
}

function sectorsOf(write: PendingWrite): [number, number][] {
  const sectors: [number, number][] = [];
  for (let from = 0; from < write.length; ) {
    const to = Math.min(write.length, from + sectorBytes - ((write.offset + from) % sectorBytes));
    sectors.push([from, to]);
    from = to;
  }
  return sectors;
}

function longRuns(sectors: readonly [number, number][], random: SeededRandom): [number, number][] {
  const cuts = Array.from({ length: 8 }, () => random.pick(sectors)[0]);
  const bounds = [...new Set([0, ...cuts])].sort((a, b) => a - b);
  const end = sectors[sectors.length - 1]![1];
  return bounds.map((from, i) => [from, bounds[i + 1] ?? end]);
}

type Node = DiskFile | 'folder';

/** A change of names that no sync of its folder has made durable. */
interface PendingName {
  /** The folder whose sync makes it durable. */
  readonly folder: string;
  readonly apply: (names: Map<string, Node>) => void;
}

export class PowerCutDisk {
  /** By normalized path; the root folder is ''. */
  readonly current: Map<string, Node>;
  readonly #durable: Map<string, Node>;
  #pending: PendingName[] = [];

  constructor(names: ReadonlyMap<string, Node> = new Map([['', 'folder']])) {
    this.current = new Map(names);
    this.#durable = new Map(names);
  }

  create(path: string, node: Node): void {
    this.#change({ folder: folderOf(path), apply: (names) => names.set(path, node) });
  }

  rename(from: string, to: string, node: Node): void {
    const apply = (names: Map<string, Node>): void => {
      if (names.get(from) === node) names.delete(from);
      names.set(to, node);
    };
    this.#change({ folder: folderOf(to), apply });
  }

  remove(path: string, node: Node): void {
    const apply = (names: Map<string, Node>): void => {
      if (names.get(path) === node) names.delete(path);
    };
    this.#change({ folder: folderOf(path), apply });
  }

  beginSync(folder: string): readonly PendingName[] {
    return this.#pending.filter((change) => change.folder === folder);
  }

  endSync(covered: readonly PendingName[]): void {
    const done = new Set(covered);
    for (const change of this.#pending) if (done.has(change)) change.apply(this.#durable);
    this.#pending = this.#pending.filter((change) => !done.has(change));
  }

  /** The disk as it is found when the power is back. All of it is durable by then. */
  afterCut(random: SeededRandom): PowerCutDisk {
    const names = new Map(this.#durable);
    for (const change of this.#pending) if (random.bool()) change.apply(names);
    const found = new Map<string, Node>([['', 'folder']]);
    // A file that a lost rename left with two names keeps being one file.
    const files = new Map<DiskFile, DiskFile>();
    for (const [path, node] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (path === '' || found.get(folderOf(path)) !== 'folder') continue;
      found.set(path, node === 'folder' ? node : this.#fileAfterCut(node, files, random));
    }
    return new PowerCutDisk(found);
  }

  #fileAfterCut(file: DiskFile, files: Map<DiskFile, DiskFile>, random: SeededRandom): DiskFile {
    const known = files.get(file) ?? new DiskFile(file.afterCut(random));
    files.set(file, known);
    return known;
  }

  #change(change: PendingName): void {
    change.apply(this.current);
    this.#pending.push(change);
  }
}

export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}
