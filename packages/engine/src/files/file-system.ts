// The file seam. Every byte of the log goes through it, so that tests can fail, delay, tear, forget and reorder.
//
// Paths are relative to the root the implementation was made for, with '/' between folders. What is durable when:
//   a file's bytes          after `sync` of that file has resolved; those given to `writeDurably` when that has,
//                           and to `writeDurablySync` when that has returned
//   a file's name           after `syncDirectory` of its folder has resolved (creates, renames and removes alike)
// Nothing else may be assumed; in particular a resolved `write` promises nothing about a power cut.

export interface FileSystem {
  /** Opens an existing file, or with `create` makes an empty one. Fails with code ENOENT when it is not there. */
  open(path: string, options?: OpenOptions): Promise<LogFile>;
  /** Names (not paths) in a folder; an absent folder is empty. */
  list(directory: string): Promise<string[]>;
  /** Replaces `to` when it is there. */
  rename(from: string, to: string): Promise<void>;
  /** Open handles of the file go on working. Fails with code ENOENT when it is not there. */
  remove(path: string): Promise<void>;
  /** With its parents; content when it is there already. */
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** How much room there is for this process. Undefined, or absent, where nobody knows. */
  roomBytes?(): Promise<number | undefined>;
  /** Grows when this process has had anything read from a disk. Undefined, or absent, where nobody counts that. */
  blocksRead?(): number | undefined;
}

interface OpenOptions {
  readonly create?: boolean;
  /** `writeDurably` will be called. */
  readonly isLog?: boolean;
}

export interface LogFile {
  /**
   * Fills [0, sizeBytes) with zeros on the disk, so that later writes inside it need no new space; never shrinks the
   * file. ENOSPC shows here. Not durable before `sync`. Where it takes long, `pace` is waited for between its parts.
   */
  preallocate(sizeBytes: number, pace?: (doneBytes: number) => Promise<void>): Promise<void>;
  /** Small writes may be done at once, without a trip through the thread pool; the promise resolves when all is written. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /**
   * As `write` and then `sync`, except that of what others wrote before nothing is said. Absent where that would be no
   * different. The bytes must not change before it resolves.
   */
  writeDurably?(bytes: Uint8Array, offset: number): Promise<void>;
  /** `write` and `sync` at once, blocking; for small writes to a quick disk while nobody else has anything to do. */
  writeDurablySync?(bytes: Uint8Array, offset: number): void;
  /** `writeDurably` will not be called again: what is held for it is let go. Reading goes on. */
  seal?(): Promise<void>;
  /** Data and size durable (fdatasync). A failure is final: what was written since the last sync may be lost. */
  sync(): Promise<void>;
  /** Reads at once, blocking; for small reads of warm data. Returns the bytes read, fewer only at the end of the file. */
  readSync(target: Uint8Array, offset: number): number;
  read(target: Uint8Array, offset: number): Promise<number>;
  sizeBytes(): Promise<number>;
  close(): Promise<void>;
}

/** An error as node:fs throws it, for implementations that are not node:fs. */
export function fileError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Whether the process, or the machine, has too many files open (EMFILE, ENFILE). */
export function isOutOfFiles(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

/** Whether a file operation failed for want of space (ENOSPC, EDQUOT). */
export function isDiskFull(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === 'ENOENT';
}

function errorCodeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
