// Every time and size of the processor has its maximum here, with the reason.

import { requestMsMax, waitGraceMs } from '@tidemark/client';

/** What feeds and stores retry by themselves: a connection that broke between two requests, not a server that is down. */
export const momentMsMax = 250;

/** How often a list of documents begins anew because ranges were split under it. */
export const listAttemptsMax = 5;

/** Documents on a page of a list that is read page by page. */
export const listPageItems = 200;

/** A read of the feed that takes longer than it was asked to wait and this is broken off: its connection may be half open. */
export const feedReadMsMax: number = requestMsMax + waitGraceMs;

/** Between reads of a feed that fails: the first pause, and the longest. */
export const feedRetryPauseMsMin = 100;
export const feedRetryPauseMsMax: number = 5 * 1000;

/** Failures one after the other that are told of as a problem; fewer are ordinary weather. */
export const failuresBeforeHealth = 3;

/** Of a change whose source does not say how large its pages are. */
export const itemBytesGuess = 1024;

/** A handler whose signal has aborted is waited for this long; then it is given up as hung. */
export const handlerGraceMs: number = 2 * 1000;

/** Batches that were handled but not acknowledged, with manual checkpoints. Beyond them nothing is delivered. */
export const unacknowledgedPagesMax = 1000;

/** One call to a lease store. A healthy one answers in milliseconds; a lease lives for a minute, so there is time for several. */
export const storeCallMsMax: number = 10 * 1000;

/** Leases acquired, created or read at the same time by one host: what the .NET processor does. */
export const leasesAtOnceMax = 25;

/** Writes of one lease with an open outcome that are remembered, to know them again when they turn up. */
export const openWritesMax = 64;

/** Own heartbeats whose moment is remembered: a range that is handed over names one of the last few. */
export const beatsKeptMax = 64;

/** How long a start tries to reach the endpoints that it was given: as long as a server may take to come up. And one try. */
export const reachMsMax: number = 30 * 1000;
export const reachCallMsMax: number = 10 * 1000;

/** One call of somebody who looks at a group from outside: a person waits for it. */
export const groupCallMsMax: number = 30 * 1000;

/** How long a start tries to create or find the leases of its group. */
export const bootstrapMsMax: number = 60 * 1000;

/** Between two looks at a lock that another host holds. */
export const lockPollMs = 500;

/** A change in the lease container wakes a host at most this often; idle wakes make it rarer, up to a quarter of `acquireMs`. */
export const wakeGapMsMin = 50;

/** How long a lease container is asked to wait for a change. */
export const storeWatchMs: number = 30 * 1000;

/** How long an observer's `open` may take, and its `close`: somebody waits for the range. */
export const openMsMax: number = 60 * 1000;
export const closeMsMax: number = 10 * 1000;

/** How long an aborted pump may take to end before it is left behind. */
export const abortMsMax: number = 5 * 1000;

/** How long a stop takes when nobody says otherwise. */
export const drainMsDefault: number = 30 * 1000;

/** A stop that takes longer says what it waits for: by then a person thinks that it hangs. */
export const stopSilentMsMax: number = 2 * 1000;

/** A range that failed here is left to others, then tried again: first pause, and the longest. */
export const avoidMsMin: number = 1000;
export const avoidMsMax: number = 60 * 1000;

/** Ranges that a host tells others to take, in its heartbeat; and ranges that stand still there. */
export const avoidedMax = 100;

/** Of the reason why a range stands still, as the heartbeat tells it. */
export const haltedCharsMax = 500;

/** Lines of the log: so many of one kind in so long, then how many more there were; and characters of one. */
export const logLinesMax = 5;
export const logWindowMs: number = 60 * 1000;
export const logCharsMax = 1000;

/** Health problems told of and not yet over; the oldest is forgotten first. */
export const problemsMax = 1000;

/**
 * While batches follow each other without a pause, their positions share writes. From one to the next it takes at least this long, or
 * ten times as long as the last one took, so that a busy store or machine is not kept busy by positions; and at most so long.
 */
export const checkpointGapMsMin = 20;
export const checkpointGapMsMax = 500;

/** Changes that failed and are not settled, remembered with their counts. A range retries one batch a lane. */
export const attemptEntriesMax = 1000;

/** Of an error's text that is kept or told: a handler may put whole documents into it, and a letter must not grow too large by it. */
export const errorCharsMax = 4000;

/** Owners that died one after the other at the same position, before the next one counts changes before it handles them. */
export const deathsBeforeCaution = 2;

/** Changes that are finished above the position, remembered in one document: 25 bytes each. */
export const doneItemsMax = 5000;

/** How often they are written down at most: what finished since then is repeated after a crash. */
export const doneSaveMs = 1000;

/** Between tries to write a dead letter: the first pause, and the longest. The range stands still meanwhile. */
export const letterRetryPauseMsMin = 200;
export const letterRetryPauseMsMax: number = 30 * 1000;

/** Keys of one range whose changes are parked. More are a fault of the handler, not of keys: the range halts. */
export const heldKeysMax = 10_000;

/** Dead letters that are counted for somebody who looks at a group, and parked keys that are named. */
export const lettersCountedMax = 100_000;
export const parkedKeysShownMax = 10;

/** How often a host looks whether somebody wants dead letters to be tried again. */
export const replayLookMs: number = 5 * 1000;

/** With manual checkpoints: how long a range that is gone waits for acknowledgements. What comes later is handled again. */
export const acknowledgeMsMax: number = 10 * 1000;
/** Of a lag: changes of one range that are counted before it is left at "at least", changes a page, and ranges read at once. */
export const lagItemsMax = 100_000;
export const lagPageItems = 1_000;
export const lagReadsAtOnce = 8;

/** Times of feeds have whole seconds, and a clock that is less than two seconds wrong is not corrected: a group begins this much earlier. */
export const startSlackMs: number = 3 * 1000;

/** Of the id of a dead letter: the name of the group, the account, two rids, two digests and an LSN. The service takes no more. */
export const letterIdBytesMax = 255;

/** How long a lease lasts without a write, unless its host is told otherwise: the same in hosts of .NET. */
export const leaseExpirationMs = 60_000;
