// The file seam in memory, for memory mode and for fast tests. Everything written is as durable as it will ever be, so the
// syncs have nothing to do.

import type { FileSystem, LogFile } from './file-system.ts';
import { fileError } from './file-system.ts';

export function memoryFiles(): FileSystem {
  return new MemoryFiles();
}

class MemoryFiles implements FileSystem {
  /** By normalized path. A handle refers to the content, not to the name, so it survives a rename or remove. */
  readonly #files = new Map<string, MemoryContent>();
  readonly #folders = new Set<string>(['']);

  async open(path: string, options?: { readonly create?: boolean }): Promise<LogFile> {
    const name = normalize(path);
    let content = this.#files.get(name);
    if (content === undefined) {
      if (!options?.create || !this.#folders.has(folderOf(name))) throw missing(path);
      content = new MemoryContent();
      this.#files.set(name, content);
    }
    return new MemoryFile(path, content);
  }

  async list(directory: string): Promise<string[]> {
    const folder = normalize(directory);
    const paths = [...this.#files.keys(), ...this.#folders].filter((path) => path !== '' && folderOf(path) === folder);
    return paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  }

  async rename(from: string, to: string): Promise<void> {
    const content = this.#files.get(normalize(from));
    if (content === undefined || !this.#folders.has(folderOf(normalize(to)))) throw missing(from);
    this.#files.delete(normalize(from));
    this.#files.set(normalize(to), content);
  }

  async remove(path: string): Promise<void> {
    if (!this.#files.delete(normalize(path))) throw missing(path);
  }

  async makeDirectory(path: string): Promise<void> {
    for (let folder = normalize(path); folder !== ''; folder = folderOf(folder)) this.#folders.add(folder);
  }

  async syncDirectory(path: string): Promise<void> {
    if (!this.#folders.has(normalize(path))) throw missing(path);
  }
}

class MemoryFile implements LogFile {
  readonly #path: string;
  #content: MemoryContent | undefined;

  constructor(path: string, content: MemoryContent) {
    this.#path = path;
    this.#content = content;
  }

  async preallocate(sizeBytes: number): Promise<void> {
    this.#open().zero(sizeBytes);
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    this.#open().write(bytes, offset);
  }

  async sync(): Promise<void> {
    this.#open();
  }

  readSync(target: Uint8Array, offset: number): number {
    return this.#open().read(target, offset);
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    return this.#open().read(target, offset);
  }

  async sizeBytes(): Promise<number> {
    return this.#open().sizeBytes;
  }

  async close(): Promise<void> {
    this.#content = undefined;
  }

  #open(): MemoryContent {
    if (this.#content === undefined) throw fileError('EBADF', `The file ${this.#path} has been closed.`);
    return this.#content;
  }
}

class MemoryContent {
  /** At least `sizeBytes` long; zeros beyond it, so that a write past the end leaves zeros in the gap. */
  #bytes: Uint8Array = new Uint8Array(0);
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  zero(sizeBytes: number): void {
    this.#grow(sizeBytes, sizeBytes);
    this.#bytes.fill(0, 0, sizeBytes);
  }

  write(bytes: Uint8Array, offset: number): void {
    const end = offset + bytes.byteLength;
    // Doubling keeps the cost of a growing file linear; preallocated segments never come here with more than they have.
    this.#grow(end, Math.max(end, this.#bytes.byteLength * 2));
    this.#bytes.set(bytes, offset);
  }

  read(target: Uint8Array, offset: number): number {
    const end = Math.min(this.#sizeBytes, offset + target.byteLength);
    if (end <= offset) return 0;
    target.set(this.#bytes.subarray(offset, end));
    return end - offset;
  }

  #grow(sizeBytes: number, capacityBytes: number): void {
    if (sizeBytes > this.#bytes.byteLength) {
      const grown = new Uint8Array(capacityBytes);
      grown.set(this.#bytes.subarray(0, this.#sizeBytes));
      this.#bytes = grown;
    }
    this.#sizeBytes = Math.max(this.#sizeBytes, sizeBytes);
  }
}

function normalize(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

function missing(path: string): NodeJS.ErrnoException {
  return fileError('ENOENT', `There is no file or folder ${path}.`);
}
