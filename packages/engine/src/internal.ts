// The second door, for packages of this repository only: the seams below the public API, with their implementations. What
// is exported here may change in any release.

export { systemEnvironment } from './ambient.ts';
export { backUp, restore } from './backup.ts';
export type { CheckReport } from './check.ts';
export { checkDatabase } from './check.ts';
export { Container } from './container.ts';
export type { ContainerDefinition } from './container-definition.ts';
export { formatContainerDefinition, readContainerDefinition } from './container-definition.ts';
export type { EmbeddedEngineOptions } from './embedded/engine.ts';
export { EmbeddedEngine } from './embedded/engine.ts';
export { maintainOnce } from './embedded/maintenance.ts';
export type { IndexProvider } from './embedded/recovery.ts';
export type { Clock, Environment } from './environment.ts';
export type { FileSystem, LogFile } from './files/file-system.ts';
export { fileError, isDiskFull, isMissing } from './files/file-system.ts';
export type { FolderLock } from './files/folder-lock.ts';
export { lockFolder } from './files/folder-lock.ts';
export { memoryFiles } from './files/memory-files.ts';
export { nodeFiles } from './files/node-files.ts';
export type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index/index-store.ts';
export { docKey } from './index/keys.ts';
export type { LateIndexOptions } from './index/late-index.ts';
export type { LmdbIndexOptions } from './index/lmdb-index.ts';
export { openLmdbIndex } from './index/lmdb-index.ts';
export { lmdbIndexProvider } from './index/lmdb-provider.ts';
export type { MemoryIndex, MemoryIndexOptions, MemoryIndexSnapshot } from './index/memory-index.ts';
export { memoryIndex } from './index/memory-index.ts';
export { queryMsMax, querySliceMs, splitBytes } from './limits.ts';
export { BufferPool } from './log/buffer-pool.ts';
export type { FrameSpace } from './log/frame-memory.ts';
export { FrameMemory } from './log/frame-memory.ts';
export type { MatchOptions, NamedInfo, NamedKind, NamedResources, NewNamed } from './named-resource.ts';
export type { DocumentScope } from './query/document-scan.ts';
export type { KeyPlace } from './query/key-place.ts';
export { formatPlace, invalidContinuation, placeAfter, placeAtStart, readPlace } from './query/key-place.ts';
export { nobodyWaits, Queries } from './query/queries.ts';
export { filteredKeys } from './query/query.ts';
export type { QueryPage } from './query/query-page.ts';
export { decodeQueryPlace, encodeQueryPlace } from './query/query-place.ts';
export type {
  ContainerInfo,
  DatabaseInfo,
  Decide,
  DocumentKey,
  EngineProfile,
  FeedPage,
  FeedRequest,
  FeedScope,
  OfferOptions,
  RangeEngine,
  RangeInfo,
  ScanBatch,
  ScanRequest,
  Snapshot,
  StoredDocument,
  UnitOutcome,
  UnitResult,
  WatchScope,
} from './range-engine.ts';
export { SystemMembers } from './state/system-members.ts';
export { readClientDocument } from './write/client-bytes.ts';
export type { ClientDocument, PatchOperation, Unit, UnitPartitionKey, WriteCommand } from './write/command.ts';
export { decide } from './write/decide.ts';
export { ObjectScanner } from './write/object-scanner.ts';
export { parsePatchBody } from './write/patch-body.ts';
