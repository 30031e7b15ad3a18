// Every queue, page, batch and cache of the engine has its maximum here, with the reason.

const KiB = 1024;
const MiB = 1024 * KiB;

/** Small at first, so that a new database is a megabyte; doubled with each segment up to the maximum. */
export const segmentBytesMin: number = 1 * MiB;
export const segmentBytesMax: number = 64 * MiB;

/** Of the room on the disk a new segment leaves this share, at most so much, to the index and to compaction: they need some to free any. */
export const roomLeftShare = 0.125;
export const roomLeftBytesMax: number = 16 * MiB;

/**
 * Segments that are ready for the log beside the next one, made while nobody writes, so that a burst need not write zeros as well: one for
 * each of the largest size that was filled since the open, up to the smaller number, and up to the larger one where those beyond, and two
 * more, take at most such a share of what the log has: compaction lets that have 1.75 of what must be kept, and with these it has twice as
 * much. Each takes at most such a share of the room; when one is more than the larger share of it they are given back.
 */
export const sparesAheadMin = 3;
export const sparesAheadMax = 7;
export const spareLogShare: number = 1 / 8;
export const spareRoomShare: number = 1 / 64;
export const shortRoomShare: number = 1 / 16;

/** A group larger than this is closed and the next one begun: a flush of more gains nothing. */
export const groupBytesMax: number = 1 * MiB;
export const groupUnitsMax = 2_048;
/** So many groups may follow each other in one turn of the event loop, where there is no flush to wait for. */
export const groupsPerTurn = 64;
/**
 * A group with everybody in it is flushed without a thread, while the event loop stands still, if it has at most so many bytes and
 * that takes at most this long. One that took longer is followed by flushes of threads until it was this share of the time.
 */
export const atOnceFlushBytesMax: number = 256 * KiB;
export const atOnceFlushMsMax = 1;
export const atOnceFlushSlowShare = 0.1;
/** The same of a crowd, of which a part could be decided meanwhile. */
export const crowdFlushBytesMax: number = 128 * KiB;
export const crowdFlushMsMax = 0.5;
/** The memory that runs of groups are written into is kept for the next ones: so many, of this size at most. */
export const idleRunsMax = 8;
export const idleRunBytesMax: number = 4 * MiB;
/**
 * Frames are in blocks of this size until they are in the index, those of more than half of it apart. For the next frames as many blocks are
 * kept as were in use a moment ago, up to so many in all, and at least so many.
 */
export const frameBlockBytes: number = 4 * MiB;
export const frameBlocksMax = 24;
export const restFrameBlocksMax = 2;
/** Queued and in-flight writes; beyond it callers are told to come back (429). */
export const queuedBytesMax: number = 64 * MiB;
export const queuedUnitsMax = 16_384;

/** Published and not yet indexed. When it is full, writers wait for the index. */
export const overlayRecordsMax = 131_072;
export const overlayBytesMax: number = 96 * MiB;

/** An index transaction waits this long for more to come along; longer gains little and makes recovery longer. */
export const indexGatherMs = 1_000;
/** When nobody has written for so long, entries that are late go to their places, before they must. */
export const indexRestMs = 100;

/**
 * Doc entries on their way to their places in the index. So many get there together: each page of the tree that they touch is written
 * whole, so the more there are for a page, the less an entry costs. Up to twice as many, and those that the next transactions take, are in
 * memory, outside of the heap, with 150 to 200 bytes each; more of them would make starts longer, which read them. Not 262,144: those of
 * the last second come on top, and the tables in which they are found double there.
 */
export const lateChangesMax = 229_376;
/** Fewer where their keys are long: those that get there together have at most so many bytes, as so many with usual keys have half of. */
export const lateBytesMax: number = 64 * MiB;
/** They are written down in pieces of this size, which fit into a page of the index. */
export const lateChunkBytes = 4_032;
/** So many get there with one transaction: what a page costs it grows with the number of pages. */
export const lateMergedMax = 4_096;
/** The memory of a transaction's changes is used for those of the next one up to this size, which those of `lateMergedMax` seldom have. */
export const indexBatchKeptBytesMax: number = 4 * MiB;

/** One index entry lists this many slices of frames, so that a lone write does not cost an entry of its own. */
export const slicesPerChunk = 64;

/** So many of these entries are known to readers of the feed without a look into the index, some 10 KiB each at most. */
export const knownChunksMax = 64;
/** Of so many ranges it is known where they begin, some 100 bytes each. */
export const knownGapsMax = 16_384;

/** Of so many ranges the last of these entries is kept in memory, about 8 KiB each; of others it is read again. */
export const indexedRangesMax = 4_096;

/** A feed page reads at most this much at once from a segment; a longer frame is read whole. */
export const readBytesMax: number = 1 * MiB;
/** The first read of a page, which nobody has begun before; and what a read must have to be worth a thread. */
export const firstReadBytesMax: number = 256 * KiB;
/** Read buffers that are kept for the next reader: those of two or three large pages. */
export const recycledBytesMax: number = 16 * MiB;
/** Runs in which a page of the feed ended are kept for the page that goes on from there: so much of them, as of 16 to 32 ranges that are read at once. */
export const keptRunsBytesMax: number = 32 * MiB;
/** None in a smaller buffer, which is read again as quickly, and none in a larger one. */
export const keptRunBytesMin: number = 64 * KiB;
export const keptRunBytesMax: number = 2 * MiB;
/** Service limit: pages of 4 MiB at most. A single unit may exceed it. */
export const pageBytesMax: number = 4 * MiB;
export const pageItemsMax = 10_000;
/** Reads of single documents that are made in one turn of the event loop, when nothing makes them wait. */
export const readsPerTurn = 256;
/** Pages that are read in one turn of the event loop, when nothing makes them wait. */
export const pagesPerTurn = 16;
/** Runs that a page looks at in one turn of the event loop: of lone writes these are some milliseconds. */
export const looksPerTurn = 512;
/** What a page may read without finding anything, before it answers with its position and no items. */
export const scanBytesMax: number = 16 * MiB;
/** Index entries looked at for one batch of a scan or a partition key's feed. */
export const scanEntriesMax = 4_096;
/** Ids that a query names are looked up, if these are not more looks for one batch; else what the partition keys have is looked at. */
export const scanLookupsMax = 512;
/** A partition key with more documents than this is read through the log instead of the index. */
export const partitionEntriesMax = 256;

/**
 * Segments this close to the end of the log, as a share of the machine's memory, are taken to be in the page cache and read
 * without a thread: a trip through the pool costs several times the read.
 */
export const warmShare = 0.25;
/**
 * Older ones are read without a thread as long as that is quick. A read that takes longer than this, and than so many bytes
 * would, likely came from the disk.
 */
export const slowReadMs = 0.1;
export const slowReadBytesPerMs: number = 512 * KiB;
/**
 * So much time may go by in slow reads. A quick one gives back what the thread would have cost, so that a busy machine, which
 * interrupts reads too, is not taken for a slow disk; for the same reason a single read counts no more than so much.
 */
export const slowReadBudgetMs = 10;
export const slowReadCountedMsMax = 5;
export const threadTripMs = 0.02;
/** When the budget is spent, threads read until it was this share of the time. */
export const slowReadShare = 0.02;
/** Where nothing is known of the machine. */
export const memoryBytesByDefault: number = 4096 * MiB;
/** Segment files open at a time: 32 GiB of log. Where a process may not have so many, those that are not needed are closed. */
export const openSegmentsMax = 512;
/** Reads above this size never block the event loop, warm or not. */
export const syncReadBytesMax: number = 1 * MiB;

/** Parked readers of the feed over the whole database. */
export const waitersMax = 16_384;

/** Bitmaps go into the index in pieces of this size. */
export const bitmapChunkBytes = 512;

/** Compaction writes frames of up to this size; a reader takes four of them with one read. */
export const compactedFrameBytes: number = 256 * KiB;
/** Records that are moved between two turns of the event loop. */
export const relocationRecordsMax = 256;
/** Records that are moved before the index has to take them: its flushes compete with those that writers wait for. */
export const movedRecordsMax = 4_096;

/** Delete by partition key and the sweep of expired documents work in steps of this many documents. */
export const jobDocumentsMax = 100;

/** The clock may be off by this much from one commit to the next before it is reported. */
export const clockJumpReportedMs = 60_000;

/** A restored database continues this far beyond the tails it was saved with, so that no LSN is ever given twice. */
export const restoredTailGap: number = 2 ** 20;

/** The pieces of a container's key space; a bound on what a caller can ask for by mistake. */
export const rangesPerContainerMax = 10_000;

/** A range that holds more than this is split by itself. */
export const splitBytes: number = 10 * 1024 * MiB;

/** Named resources (offers, users, permissions, keys, scripts) are in memory, and in the first frame of each segment. */
export const namedResourcesMax = 100_000;
export const namedResourceBytesMax: number = 256 * KiB;
export const namedResourcesBytesMax: number = 32 * MiB;

/** A page of a query that only filters and projects ends after so much time or so many documents, whatever it has found. */
export const queryPageMs = 1_000;
export const queryPageDocumentsMax = 20_000;
/** A query that needs all documents before its first row fails when it has not seen them after so long. */
export const queryMsMax = 30_000;
/** So many of either kind run at a time, each with a limit of memory; others wait for their turn. */
export const queriesAtOnceMax = 16;
/** A query works so long until everybody else who is ready has a turn. One document may take longer. */
export const querySliceMs = 0.5;
/** While queries read a moment, versions that are replaced are kept beside the index for them: so much, over all queries. */
export const snapshotBytesMax: number = 64 * MiB;
/** What a query asks of a scan at a time. */
export const scanBatchItems = 256;
export const listedBatchItems = 1_024;
export const scanBatchBytes: number = 1 * MiB;
