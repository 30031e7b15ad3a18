// Wraps any file system and makes it fail, wait, rot or run out of space, where and when a test says so. Everything that
// passes is logged, in order.

import type { FileSystem, LogFile } from '@tidemark/engine/internal';
import { fileError } from '@tidemark/engine/internal';
import type { Gate } from './gate.ts';
import { HeldGate } from './gate.ts';

export type FileOperation =
  | 'open'
  | 'list'
  | 'rename'
  | 'remove'
  | 'makeDirectory'
  | 'syncDirectory'
  | 'preallocate'
  | 'write'
  | 'sync'
  | 'read';

export interface LoggedOperation {
  readonly operation: FileOperation;
  /** For a rename the old name. */
  readonly path: string;
  readonly offset?: number;
  readonly length?: number;
}

export interface FaultTarget {
  /** The path, or a pattern for it. Every path when absent. */
  readonly path?: string | RegExp;
}

export interface FailureOptions extends FaultTarget {
  /** How many matching operations fail; `Infinity` until `heal`. Default 1. */
  readonly times?: number;
  /** Default EIO. */
  readonly code?: string;
}

export class FaultFiles implements FileSystem {
  readonly log: LoggedOperation[] = [];
  /** What preallocation and growing writes may still take; removing a file gives its bytes back. */
  freeBytes: number = Number.POSITIVE_INFINITY;
  readonly #inner: FileSystem;
  #failures: Failure[] = [];
  #gates: ArmedGate[] = [];
  readonly #rot = new Map<string, Map<number, number>>();

  constructor(inner: FileSystem) {
    this.#inner = inner;
  }

  fail(operation: FileOperation, { path, times = 1, code = 'EIO' }: FailureOptions = {}): void {
    this.#failures.push({ operation, path, times, code });
  }

  /** Ends every failure that has not happened yet. */
  heal(): void {
    this.#failures = [];
  }

  /** Holds the next matching operation before it does anything. */
  hold(operation: FileOperation, target: FaultTarget = {}): Gate {
    const gate = new HeldGate();
    this.#gates.push({ operation, path: target.path, gate });
    return gate;
  }

  /** Bit rot: every later read of that byte sees these bits flipped. Flipping the same bits again restores it. */
  flip(path: string, offset: number, mask = 0xff): void {
    const masks = this.#rot.get(path) ?? new Map<number, number>();
    masks.set(offset, (masks.get(offset) ?? 0) ^ mask);
    this.#rot.set(path, masks);
  }

  /** How many operations of a kind there were. */
  count(operation: FileOperation, target: FaultTarget = {}): number {
    return this.log.filter((entry) => entry.operation === operation && matches(target.path, entry.path)).length;
  }

  async open(path: string, options?: { readonly create?: boolean }): Promise<LogFile> {
    await this.pass({ operation: 'open', path });
    const file = await this.#inner.open(path, options);
    return new FaultFile(this, path, file, await file.sizeBytes());
  }

  async list(directory: string): Promise<string[]> {
    await this.pass({ operation: 'list', path: directory });
    return this.#inner.list(directory);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.pass({ operation: 'rename', path: from });
    return this.#inner.rename(from, to);
  }

  async remove(path: string): Promise<void> {
    await this.pass({ operation: 'remove', path });
    const file = await this.#inner.open(path);
    const sizeBytes = await file.sizeBytes();
    await file.close();
    await this.#inner.remove(path);
    this.freeBytes += sizeBytes;
  }

  async makeDirectory(path: string): Promise<void> {
    await this.pass({ operation: 'makeDirectory', path });
    return this.#inner.makeDirectory(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await this.pass({ operation: 'syncDirectory', path });
    return this.#inner.syncDirectory(path);
  }

  /** @internal Logs it, and makes it fail or wait. Without a gate it goes on at once, as the inner one would. */
  pass(entry: LoggedOperation): Promise<void> | undefined {
    this.log.push(entry);
    const armed = this.#gates.find((a) => a.operation === entry.operation && matches(a.path, entry.path));
    if (armed === undefined) {
      this.#throwIfFailing(entry);
      return undefined;
    }
    this.#gates = this.#gates.filter((other) => other !== armed);
    return armed.gate.arrive().then(() => this.#throwIfFailing(entry));
  }

  /** @internal */
  takeSpace(bytes: number, path: string): void {
    if (bytes > this.freeBytes) throw fileError('ENOSPC', `no space left on device, ${path}`);
    this.freeBytes -= Math.max(0, bytes);
  }

  /** @internal */
  rot(path: string, target: Uint8Array, offset: number, length: number): void {
    for (const [at, mask] of this.#rot.get(path) ?? []) {
      if (at >= offset && at < offset + length) target[at - offset]! ^= mask;
    }
  }

  #throwIfFailing({ operation, path }: LoggedOperation): void {
    const failure = this.#failures.find((f) => f.operation === operation && f.times > 0 && matches(f.path, path));
    if (failure === undefined) return;
    failure.times--;
    throw fileError(failure.code, `injected failure of ${operation} on ${path}`);
  }
}

class FaultFile implements LogFile {
  readonly #files: FaultFiles;
  readonly #path: string;
  readonly #inner: LogFile;
  /** As this handle knows it; two handles that both grow one file pay twice. */
  #sizeBytes: number;

  constructor(files: FaultFiles, path: string, inner: LogFile, sizeBytes: number) {
    this.#files = files;
    this.#path = path;
    this.#inner = inner;
    this.#sizeBytes = sizeBytes;
  }

  async preallocate(sizeBytes: number, pace?: (doneBytes: number) => Promise<void>): Promise<void> {
    const wait = this.#files.pass({ operation: 'preallocate', path: this.#path, length: sizeBytes });
    if (wait) await wait;
    this.#growTo(sizeBytes);
    await this.#inner.preallocate(sizeBytes, pace);
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const wait = this.#files.pass({ operation: 'write', path: this.#path, offset, length: bytes.length });
    if (wait) await wait;
    this.#growTo(offset + bytes.length);
    await this.#inner.write(bytes, offset);
  }

  async sync(): Promise<void> {
    const wait = this.#files.pass({ operation: 'sync', path: this.#path });
    if (wait) await wait;
    await this.#inner.sync();
  }

  readSync(target: Uint8Array, offset: number): number {
    const wait = this.#files.pass({ operation: 'read', path: this.#path, offset, length: target.length });
    if (wait) throw new Error('a blocking read cannot be held');
    const length = this.#inner.readSync(target, offset);
    this.#files.rot(this.#path, target, offset, length);
    return length;
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    const wait = this.#files.pass({ operation: 'read', path: this.#path, offset, length: target.length });
    if (wait) await wait;
    const length = await this.#inner.read(target, offset);
    this.#files.rot(this.#path, target, offset, length);
    return length;
  }

  sizeBytes(): Promise<number> {
    return this.#inner.sizeBytes();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #growTo(sizeBytes: number): void {
    this.#files.takeSpace(sizeBytes - this.#sizeBytes, this.#path);
    this.#sizeBytes = Math.max(this.#sizeBytes, sizeBytes);
  }
}

interface ArmedGate {
  readonly operation: FileOperation;
  readonly path: string | RegExp | undefined;
  readonly gate: HeldGate;
}

interface Failure {
  readonly operation: FileOperation;
  readonly path: string | RegExp | undefined;
  readonly code: string;
  times: number;
}

function matches(pattern: string | RegExp | undefined, path: string): boolean {
  if (pattern === undefined) return true;
  return typeof pattern === 'string' ? pattern === path : pattern.test(path);
}
