// Every size and number of the command line that must not grow with the input, with the reason.

import { documentBytesMax } from '@tidemark/model';

/** A document of the full size with room for indentation; a longer line is a failure and is not kept in memory. */
export const lineBytesMax: number = documentBytesMax + 1024 * 1024;

/** What an import has read and not yet been acknowledged. */
export const pendingBytesMax: number = 16 * 1024 * 1024;
export const pendingLinesMax = 5_000;

/** Failures that are told one by one; those beyond are counted. */
export const failuresShownMax = 100;

/** How often the progress of an import or export goes to its state file. */
export const stateMs = 1_000;

/** After so long without a page a query says that it waits for one. */
export const waitingMs = 1_000;

/** After so long without an answer an import or export says that it waits for one. */
export const silentMsMax = 3_000;

/**
 * How long an import that is stopped waits for the answers under way: what was written without one is written again later, and then
 * counts as replaced. A server that is there answers within this, and one that has gone must not keep anybody.
 */
export const lastAnswersMsMax = 2_000;

/** How often in a row an import asks again when nothing at all is accepted: at 100 ms and more each, minutes. */
export const fruitlessMax = 600;

/** The server gives answers under way 10 seconds, and the database then closes its files: this is more than both ever need. */
export const stopMsMax = 30_000;

/** A look at which names there are, once a command has failed. */
export const lookMsMax: number = 5 * 1000;

/** A query that comes over standard input: the service takes half of it. */
export const queryBytesMax: number = 1024 * 1024;

/** Queries that the prompt remembers. */
export const historyLinesMax = 1_000;

/** Containers that are asked for their ranges at the same time. */
export const listedAtOnce = 8;

/** What `put` reads and keeps in memory: `import` is for more. */
export const putBytesMax: number = 16 * 1024 * 1024;
