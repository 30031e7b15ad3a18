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

/** A page that was waited for has at least this long to arrive before its connection is taken for dead. */
export const waitedPageMsMin: number = 20 * 1000;

/** Wire 8: bytes of a bulk request; the official client sends no more. Operations: `batchOperationsMax` of the model. */
export const bulkBytesMax = 220_201;
