// Every time and size of the client has its maximum here, with the reason.

/** Longer than any answer that is not waited for on purpose: the service gives up on its own requests after a minute. */
export const requestMsMax: number = 65 * 1000;

/** Retries of one call, all together: what the official client allows for throttling (wire 5). */
export const retryMsMax: number = 30 * 1000;

/** The pause before a first retry that the server named no pause for; it doubles up to the second. */
export const retryPauseMsMin = 100;
export const retryPauseMsMax: number = 5 * 1000;

/** Added to `wait=N`: the answer to a request that waited is under way at N seconds, not there. */
export const waitGraceMs: number = 10 * 1000;

/** Wire 8: bytes of a bulk request; the official client sends no more. Operations: `batchOperationsMax` of the model. */
export const bulkBytesMax = 220_201;

/** A lease store that takes longer has failed: a lease lives for a minute, and its owner needs time to try again. */
export const storeRequestMsMax: number = 10 * 1000;

/** What feeds and stores retry by themselves: a connection that broke between two requests, not a server that is down. */
export const momentMsMax = 250;

/** How often a list of documents begins anew because ranges were split under it. */
export const listAttemptsMax = 5;

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
export const unacknowledgedPagesMax = 10_000;
