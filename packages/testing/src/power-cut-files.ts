// The file seam on a PowerCutDisk: in memory, as fast as a test wants it, and able to lose power at any operation.
//
// A PowerCutFiles is one incarnation of the process. It ends by `cut` (the power fails: what was not synced is kept,
// forgotten or torn) or by `kill` (the process dies, the system stays up: nothing is lost, and nothing becomes durable
// that was not). Both return the file system that the next incarnation finds. Operations of an ended incarnation, open
// handles included, reject with PowerCutError and never succeed.

import type { FileSystem, LogFile } from '@tidemark/engine/internal';
import { fileError } from '@tidemark/engine/internal';
import { DiskFile, folderOf, PowerCutDisk } from './power-cut-disk.ts';
import type { SeededRandom } from './seeded-random.ts';

export class PowerCutError extends Error {
  constructor() {
    super('The power is out.');
    this.name = 'PowerCutError';
  }
}

/** The operations that change something, or make it durable. */
export type MutationKind =
  | 'create'
  | 'rename'
  | 'remove'
  | 'makeDirectory'
  | 'syncDirectory'
  | 'preallocate'
  | 'write'
  | 'sync';

export class PowerCutFiles implements FileSystem {
  readonly #disk: PowerCutDisk;
  readonly #counts: Record<MutationKind, number> = {
    create: 0,
    rename: 0,
    remove: 0,
    makeDirectory: 0,
    syncDirectory: 0,
    preallocate: 0,
    write: 0,
    sync: 0,
  };
  #bytesWritten = 0;
  #mutationsLeft = Number.POSITIVE_INFINITY;
  #isOut = false;
  #onOut: () => void = () => {};
  /** Resolves when the power fails, by `cutAfter`, `cut` or `kill`. */
  readonly out: Promise<void> = new Promise((resolve) => {
    this.#onOut = resolve;
  });

  constructor(disk: PowerCutDisk = new PowerCutDisk()) {
    this.#disk = disk;
  }

  get isOut(): boolean {
    return this.#isOut;
  }

  /** How many of each kind there were, the one during which the power failed included. */
  get counts(): Readonly<Record<MutationKind, number>> {
    return this.#counts;
  }

  get mutationCount(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  /** Bytes handed to `write`; preallocation does not count. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /**
   * Lets the next `mutations` operations of the kinds above pass. During the one after them the power fails: that one
   * rejects, though a later `cut` may find it done, half done or undone.
   */
  cutAfter(mutations: number): void {
    this.#mutationsLeft = mutations;
  }

  cut(random: SeededRandom): PowerCutFiles {
    this.#end();
    return new PowerCutFiles(this.#disk.afterCut(random));
  }

  kill(): PowerCutFiles {
    this.#end();
    return new PowerCutFiles(this.#disk);
  }

  async open(path: string, options?: { readonly create?: boolean }): Promise<LogFile> {
    this.assertPower();
    const name = normalize(path);
    const existing = this.#disk.current.get(name);
    if (existing === 'folder') throw fileError('EISDIR', `${path} is a folder.`);
    if (existing) return new PowerCutFile(this, path, existing);
    if (!options?.create || this.#disk.current.get(folderOf(name)) !== 'folder') throw missing(path);
    const file = new DiskFile();
    this.mutate('create', () => this.#disk.create(name, file));
    return new PowerCutFile(this, path, file);
  }

  async list(directory: string): Promise<string[]> {
    this.assertPower();
    const folder = normalize(directory);
    const paths = [...this.#disk.current.keys()].filter((path) => path !== '' && folderOf(path) === folder);
    return paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  }

  async rename(from: string, to: string): Promise<void> {
    this.assertPower();
    const node = this.#disk.current.get(normalize(from));
    if (node === undefined || this.#disk.current.get(folderOf(normalize(to))) !== 'folder') throw missing(from);
    this.mutate('rename', () => this.#disk.rename(normalize(from), normalize(to), node));
  }

  async remove(path: string): Promise<void> {
    this.assertPower();
    const node = this.#disk.current.get(normalize(path));
    if (node === undefined) throw missing(path);
    this.mutate('remove', () => this.#disk.remove(normalize(path), node));
  }

  async makeDirectory(path: string): Promise<void> {
    this.assertPower();
    const parts = normalize(path).split('/');
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      if (this.#disk.current.has(folder)) continue;
      this.mutate('makeDirectory', () => this.#disk.create(folder, 'folder'));
    }
  }

  async syncDirectory(path: string): Promise<void> {
    this.assertPower();
    const folder = normalize(path);
    if (this.#disk.current.get(folder) !== 'folder') throw missing(path);
    this.mutate('syncDirectory');
    const covered = this.#disk.beginSync(folder);
    await this.turn();
    this.#disk.endSync(covered);
  }

  /** @internal Counts, does it, and fails afterwards when the power went out meanwhile. */
  mutate(kind: MutationKind, change: () => void = () => {}): void {
    this.assertPower();
    this.#counts[kind]++;
    if (this.#mutationsLeft-- <= 0) this.#end();
    change();
    this.assertPower();
  }

  /** @internal */
  countBytes(bytes: number): void {
    this.#bytesWritten += bytes;
  }

  /** @internal Flushes take a turn, so that others write meanwhile and the power may fail before they end. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.assertPower();
  }

  /** @internal */
  assertPower(): void {
    if (this.#isOut) throw new PowerCutError();
  }

  #end(): void {
    this.#isOut = true;
    this.#onOut();
  }
}

class PowerCutFile implements LogFile {
  readonly #files: PowerCutFiles;
  readonly #path: string;
  #file: DiskFile | undefined;

  constructor(files: PowerCutFiles, path: string, file: DiskFile) {
    this.#files = files;
    this.#path = path;
    this.#file = file;
  }

  async preallocate(sizeBytes: number): Promise<void> {
    const file = this.#open();
    this.#files.mutate('preallocate', () => file.zero(sizeBytes));
    await this.#files.turn();
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const file = this.#open();
    this.#files.mutate('write', () => file.write(bytes, offset));
    this.#files.countBytes(bytes.length);
  }

  async sync(): Promise<void> {
    const file = this.#open();
    this.#files.mutate('sync');
    const covered = file.beginSync();
    await this.#files.turn();
    file.endSync(covered);
  }

  writeDurablySync(bytes: Uint8Array, offset: number): void {
    const file = this.#open();
    this.#files.mutate('write', () => file.write(bytes, offset));
    this.#files.countBytes(bytes.length);
    this.#files.mutate('sync');
    file.endSync(file.beginSync());
  }

  readSync(target: Uint8Array, offset: number): number {
    return this.#open().current.read(target, offset);
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    return this.#open().current.read(target, offset);
  }

  async sizeBytes(): Promise<number> {
    return this.#open().current.sizeBytes;
  }

  /** Allowed without power, so that an ended incarnation can be put away. */
  async close(): Promise<void> {
    this.#file = undefined;
  }

  #open(): DiskFile {
    this.#files.assertPower();
    if (this.#file === undefined) throw fileError('EBADF', `The file ${this.#path} has been closed.`);
    return this.#file;
  }
}

function normalize(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function missing(path: string): Error {
  return fileError('ENOENT', `There is no file or folder ${path}.`);
}
