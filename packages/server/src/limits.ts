// Every size and time of the server has its maximum here, with the reason.

import { documentBytesMax } from '@tidemark/model';

/** A document or batch of the full size, with system members and indentation that will be cut away. */
export const bodyBytesMax: number = documentBytesMax + 1024 * 1024;

/** Bodies that are coming in, of all connections together: 64 of the largest. */
export const bodiesBytesMax: number = 64 * bodyBytesMax;

/** With that many bytes coming in, a body that has been coming for this long is refused for the sake of the others. */
export const bodyMsMin = 1_000;

/** A body that does not come together with its head begins with this much room, and doubles it. */
export const firstBodyBytes: number = 64 * 1024;

/** Session tokens name every range a client knows, about 20 bytes each; servers of node:http allow 16 KiB. */
export const headerBytesMax: number = 64 * 1024;

/** Wire 3: how far a client's clock may be off. */
export const clockSkewMsMax: number = 15 * 60 * 1000;

/** Of an effective partition key in a header: more than any key has (a text of version 1 has 312), less than the index can look up. */
export const effectiveKeyBytesMax = 512;

/** A key has at least as many bytes as what is made with it. */
export const keyBytesMin = 32;

/** Signatures that are remembered, for each key: one second's worth of what repeats itself. */
export const knownTextsMax = 256;
export const knownTextCharsMax = 512;

/** Wire 3: how long a resource token may be good for. */
export const tokenSecondsMin = 10;
export const tokenSecondsMax: number = 5 * 3_600;
export const tokenSecondsByDefault = 3_600;

/** Signatures of resource tokens that are remembered. */
export const knownTokensMax = 1_024;

/** Longer than the idle time of any client's connection pool: a pooled connection is closed by its client, never under it. */
export const keepAliveMs: number = 5 * 60 * 1000;

/** Head and body of a request have to be here within this time. */
export const requestMsMax: number = 60 * 1000;

/** Its head alone. Also the first byte of a new connection, and the handshake of TLS. */
export const headerMsMax: number = 20 * 1000;

/** How often those two are looked at. */
export const timeoutCheckMs = 1_000;

/** Twice the 10,000 readers that wait for changes, each on its own connection, that one server is made for. */
export const connectionsMax = 20_000;

/** When there are too many connections, this part of them is closed at once, the idle ones of longest ago. */
export const evictedShare: number = 1 / 200;

/** What a client sends on one connection before it has its answer; beyond it the connection is not read. */
export const unreadBytesMax: number = 64 * 1024;

/** Heads that are not complete and what is sent ahead, of all connections together: who sends more of it is refused. */
export const unreadBytesTogetherMax: number = 64 * 1024 * 1024;

/** Empty lines before a request. Old clients send one behind a body, and servers are told to pass over one at least (RFC 9112, 2.2). */
export const emptyLinesMax = 8;

/** Headers of a request; clients send about twenty. */
export const headerFieldsMax = 256;

/** Names of headers whose lower case is remembered. */
export const knownHeaderNamesMax = 512;

/** An answer with a body up to this size goes to the system in one piece. */
export const joinedBodyBytesMax: number = 16 * 1024;

/** A client that takes nothing of its answer for so long is cut off. */
export const answerStallMsMax: number = 60 * 1000;

/** Answers that clients have not taken yet, with the buffers that they lie in, of all connections together: 25 to 64 of the largest. */
export const unsentBytesMax: number = 256 * 1024 * 1024;

/** A page whose pieces have so many bytes on average is sent without being copied together first. */
export const sentPieceBytesMin: number = 8 * 1024;

/**
 * Unless the buffers that they lie in have more than this many times their size. Reads come in round sizes, and two pages share the run
 * that lies in both; what was read along with a few documents of a page must not stay in memory until it is sent.
 */
export const heldShareMax = 2.5;

/** Pages that are being read and put together at a time: each is up to two and a half times its size until it is sent. More gain nothing. */
export const pagesAtOnceMax = 16;

/** Answers that are held until the end of the turn of the event loop: the first of them waits for the last. */
export const heldAnswersMax = 32;

/** A larger answer is not held. */
export const heldBodyBytesMax: number = 64 * 1024;

/** With that many bytes unsent, an answer that has been waiting for this long is cut off for the sake of the others. */
export const unsentMsMin = 1_000;

/** What is still coming in on a refused connection is read for so long, or the client would not see why it was refused. */
export const lingerMsMax = 2_000;

/** A system asks so often whether the other side of a silent connection is still there. */
export const tcpKeepAliveMs: number = 60 * 1000;

/** Of the authority that people trust; of what it signs, which no client accepts for longer; and how long before its end a
 * certificate is replaced. */
export const authorityDays = 3_650;
export const serverCertificateDays = 397;
export const renewalDays = 30;

/** How long closing waits for answers under way before it cuts the connections. */
export const drainMsMax: number = 10 * 1000;

/** Wire 11.4: what a page holds when the client does not say. */
export const itemsPerPage = 100;

/** "The server chooses": the engine ends a page at its own limit of bytes before this. */
export const itemsPerPageMax = 10_000;

/** Jobs of the admin API that have ended; what they found is kept for whoever asks. */
export const jobsRememberedMax = 16;

/** Wire 11.4: a page of the change feed. A single transaction may exceed it. */
export const pageBytesMax: number = 4 * 1024 * 1024;

/** What the documents in the answer to a batch or bulk have together: its operations name documents many times their size. */
export const batchAnswerBytesMax: number = 4 * 1024 * 1024;

/** Reads and patches of a bulk that are under way at a time; whether there is room for the answer is known when one is done. */
export const bulkReadsMax = 8;

/** How often a filtered feed looks on for its first item, 16 MiB of the log at a time, before it answers without any. */
export const scansPerRequestMax = 16;

/** The etag of a whole container names every range; a client's HTTP library takes 16 KiB of headers in all. */
export const feedEtagBytesMax: number = 12 * 1024;

/** `Prefer: wait=N` waits at most this long: less than clients and proxies give a request. */
export const waitMsMax: number = 60 * 1000;

/** Feed requests parked at a time; one more is answered at once. The engine has room for 16,384 waiters. */
export const parkedRequestsMax = 12_000;

/** How exactly the end of a wait is kept. */
export const timerTickMs = 50;

/** Parked requests that a commit has woken and that go on in one turn of the event loop. */
export const wakesPerTurn = 32;

/** Event streams at a time. With the parked requests they are less than the engine has room for. */
export const streamsMax = 4_000;

/** A page of an event stream: what a client that reads slowly keeps in memory here. A single transaction may exceed it. */
export const streamPageBytesMax: number = 1024 * 1024;

/** After so long without a change a stream says that it lives, and looks whether its token does; proxies cut after a minute. */
export const heartbeatMs: number = 15 * 1000;

/** A client of an event stream that takes nothing at all for so long is cut off. */
export const slowReaderMsMax: number = 30 * 1000;

/** How long a browser is told to wait before it connects again. */
export const streamRetryMs = 1_000;

/** How long a browser may remember what a page of another origin may send; browsers keep it two hours at most. */
export const preflightSeconds: number = 2 * 60 * 60;

/** A request that takes longer is told of in the log, unless it waits for changes. */
export const slowRequestMs: number = 1_000;

/** Lines that could not be written yet; what is more is dropped. */
export const logBytesMax: number = 1024 * 1024;

/** Lines about failed and slow requests. */
export const logWarningsPerSecondMax = 20;

/** Faults at a time. Every request looks at each of them. */
export const faultRulesMax = 100;

/** The longest that a fault keeps a request, or tells a client to wait. */
export const faultDelayMsMax: number = 60 * 1000;

/** Throttling: how far ahead moments to come back are given; a client gives up after 30 seconds of waiting. */
export const promiseMsMax: number = 10 * 1000;

/** Throttling: buckets that are looked through no more often than they double, to forget the full ones. */
export const bucketsKept = 1_000;
