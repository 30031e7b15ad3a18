// The second door, for packages of this repository only: the seams below the public API, with their implementations. What
// is exported here may change in any release.

export { systemEnvironment } from './ambient.ts';
export type { Clock, Environment } from './environment.ts';
export type { FileSystem, LogFile } from './files/file-system.ts';
export { fileError, isDiskFull, isMissing } from './files/file-system.ts';
export type { FolderLock } from './files/folder-lock.ts';
export { lockFolder } from './files/folder-lock.ts';
export { memoryFiles } from './files/memory-files.ts';
export { nodeFiles } from './files/node-files.ts';
export type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index/index-store.ts';
export type { LmdbIndexOptions } from './index/lmdb-index.ts';
export { openLmdbIndex } from './index/lmdb-index.ts';
export type { MemoryIndex, MemoryIndexOptions, MemoryIndexSnapshot } from './index/memory-index.ts';
export { memoryIndex } from './index/memory-index.ts';
