// tidy: table
// The options of a processor: unit, default, least value and meaning. docs/reference/processor.md is made from it, and options.ts reads
// them by it.

import { leaseExpirationMs } from './limits.ts';

export interface NumberOption {
  readonly unit: 'ms' | 'changes' | 'pages' | 'bytes' | 'ranges' | 'calls' | 'looks' | '';
  readonly fallback: number;
  readonly min: number;
  readonly isWhole: boolean;
  readonly meaning: string;
}

const whole = true;
const any = false;

export type NumberOptionName =
  | 'leaseRenewMs'
  | 'leaseAcquireMs'
  | 'leaseExpirationMs'
  | 'fenceMarginMs'
  | 'handoffMs'
  | 'joinMs'
  | 'rangesMin'
  | 'rangesMax'
  | 'capacity'
  | 'auditLooks'
  | 'itemsMax'
  | 'pollMs'
  | 'pollMsMin'
  | 'waitMs'
  | 'idleCheckpointMs'
  | 'lanes'
  | 'readAheadPages'
  | 'readAheadBytes'
  | 'handlerWarnMs'
  | 'handlerMsMax'
  | 'stallMs';

export const numberOptions: Readonly<Record<NumberOptionName, NumberOption>> = {
  leaseRenewMs: {
    unit: 'ms',
    fallback: 17_000,
    min: 10,
    isWhole: any,
    meaning: 'A lease that was not written for this long is renewed. Checkpoints count as renewals.',
  },
  leaseAcquireMs: {
    unit: 'ms',
    fallback: 13_000,
    min: 10,
    isWhole: any,
    meaning:
      'How often a host looks at all leases. Where the endpoint can wait, a change of the leases wakes it earlier.',
  },
  leaseExpirationMs: {
    unit: 'ms',
    fallback: leaseExpirationMs,
    min: 100,
    isWhole: any,
    meaning:
      'A lease that nobody wrote for this long, by the clock of whoever looks, is free. It must exceed `leaseRenewMs` + `fenceMarginMs`. The same for all hosts of a group.',
  },
  fenceMarginMs: {
    unit: 'ms',
    fallback: 10_000,
    min: 1,
    isWhole: any,
    meaning:
      'An owner that cannot renew gives up this long before its lease may be taken: it bears clocks that run differently and requests under way. By default a sixth of `leaseExpirationMs`.',
  },
  handoffMs: {
    unit: 'ms',
    fallback: 30_000,
    min: 0,
    isWhole: any,
    meaning:
      'How long an owner may take to finish what is in flight when a range moves to another host. After that it is robbed, and what was in flight is delivered twice. 0: robbed at once.',
  },
  joinMs: {
    unit: 'ms',
    fallback: 1_000,
    min: 0,
    isWhole: any,
    meaning:
      'A host that joins a group of several ranges looks around this long before it takes any: hosts that start together share at once.',
  },
  rangesMin: {
    unit: 'ranges',
    fallback: 0,
    min: 0,
    isWhole: whole,
    meaning: 'At least so many ranges are wanted. 0: no wish.',
  },
  rangesMax: {
    unit: 'ranges',
    fallback: 0,
    min: 0,
    isWhole: whole,
    meaning: 'At most so many ranges are taken. 0: no bound.',
  },
  capacity: {
    unit: '',
    fallback: 1,
    min: 0.001,
    isWhole: any,
    meaning: 'Weight of this host beside others: one with 2 gets twice the ranges of one with 1.',
  },
  auditLooks: {
    unit: 'looks',
    fallback: 3,
    min: 1,
    isWhole: whole,
    meaning:
      'A hole in the leases is mended when it was there for `leaseExpirationMs` and seen in so many looks one after the other.',
  },
  itemsMax: {
    unit: 'changes',
    fallback: 0,
    min: 0,
    isWhole: whole,
    meaning:
      'Changes in a page; what was written in one transaction is never cut. 0: as many as the endpoint likes (about 100).',
  },
  pollMs: {
    unit: 'ms',
    fallback: 5_000,
    min: 1,
    isWhole: any,
    meaning: 'Longest pause between reads of an empty feed, where the endpoint cannot wait (Azure).',
  },
  pollMsMin: {
    unit: 'ms',
    fallback: 250,
    min: 1,
    isWhole: any,
    meaning: 'Pause after a read that found something; it doubles up to `pollMs` while nothing comes.',
  },
  waitMs: {
    unit: 'ms',
    fallback: 20_000,
    min: 0,
    isWhole: any,
    meaning:
      'How long an endpoint that can wait (Tidemark) is asked to hold a read of an empty feed. A change is delivered at once. 0: never.',
  },
  idleCheckpointMs: {
    unit: 'ms',
    fallback: 60_000,
    min: 1,
    isWhole: any,
    meaning: 'A range without changes stores its advanced position at most this often. Renewals carry it for nothing.',
  },
  lanes: {
    unit: 'calls',
    fallback: 1,
    min: 1,
    isWhole: whole,
    meaning: 'Handler calls of one range at the same time. Changes of one partition key stay in their order.',
  },
  readAheadPages: {
    unit: 'pages',
    fallback: 4,
    min: 1,
    isWhole: whole,
    meaning: 'Pages of one range that are read and not finished yet.',
  },
  readAheadBytes: {
    unit: 'bytes',
    fallback: 16 * 1024 * 1024,
    min: 1,
    isWhole: whole,
    meaning: 'Bytes of those pages, about.',
  },
  handlerWarnMs: {
    unit: 'ms',
    fallback: 30_000,
    min: 1,
    isWhole: any,
    meaning: 'A handler call that takes longer is told of as `handler-slow`.',
  },
  handlerMsMax: {
    unit: 'ms',
    fallback: 300_000,
    min: 1,
    isWhole: any,
    meaning:
      'A handler call that takes longer has its signal aborted and has failed; one that does not obey is told of as `handler-hung`. `Infinity`: never.',
  },
  stallMs: {
    unit: 'ms',
    fallback: 120_000,
    min: 1,
    isWhole: any,
    meaning: 'A range whose feed cannot be read for this long is given up, so that another host may try.',
  },
};

export interface OtherOption {
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Everything that is no plain number, in the order of the reference. */
export type OtherOptionName =
  | 'source'
  | 'leases'
  | 'name'
  | 'instance'
  | 'handler'
  | 'observer'
  | 'mode'
  | 'start'
  | 'checkpoint'
  | 'onFailure'
  | 'retry'
  | 'bisect'
  | 'classify'
  | 'deadLetters'
  | 'schema'
  | 'purpose'
  | 'onPositionRefused'
  | 'logger'
  | 'onEvent'
  | 'signal'
  | 'sessionToken';

export const otherOptions: Readonly<Record<OtherOptionName, OtherOption>> = {
  source: {
    type: '`{ connectionString, database, container }`, `{ endpoint, key | resourceToken | tokenProvider, database, container }`, `{ client, database, container }`, `{ database, container }` of the account that the environment names, a container of an engine, or a `FeedSource`',
    fallback: 'required',
    meaning:
      'The container whose changes are read. `key` and `resourceToken` may be functions: they are asked again when the server refuses what they gave.',
  },
  leases: {
    type: 'as `source`, or a `DocumentStore`',
    fallback: 'required',
    meaning:
      'The container that says who reads what and how far: partitioned by `/id` or `/partitionKey`, or fixed (without a partition key), in any account.',
  },
  name: {
    type: 'string',
    fallback: 'required',
    meaning:
      'The group. Processors of one name share the changes; each name gets all of them. It is `processorName` in .NET and `leaseContainerPrefix` in Azure Functions.',
  },
  instance: {
    type: 'string',
    fallback: 'host name, process id and four random letters',
    meaning: 'This host. A name that is the same after a restart gets its ranges back at once.',
  },
  handler: {
    type: '`(changes, context) => Promise`',
    fallback: 'this or `observer`',
    meaning: 'Called with each batch. When it returns, the batch is done; when it throws, the batch is tried again.',
  },
  observer: {
    type: '`{ open?, changes, close? }`',
    fallback: 'this or `handler`',
    meaning: 'A handler that also wants to know when a range is opened and closed.',
  },
  mode: {
    type: "`'latest'` or `'all-versions'`",
    fallback: "`'latest'`",
    meaning: 'The last version of each document, or every version with deletes. A group keeps its mode for good.',
  },
  start: {
    type: "`'now'`, `'beginning'`, `{ timeMs }` or `{ position }`",
    fallback: "`'now'`",
    meaning:
      'Where a new group begins; with a time, after the second that it is in: give the second before to have its changes too. It is written down once; a group that has leases goes on where it was.',
  },
  checkpoint: {
    type: "`'every-batch'`, `{ items }`, `{ intervalMs }`, `'manual'` or `{ manual: true, isCumulative: true }`",
    fallback: "`'every-batch'`",
    meaning: 'When the position is stored. With `manual` the handler calls `context.checkpoint()`.',
  },
  onFailure: {
    type: "`'halt-range'`, `'park-item'`, `'park-key'`, `'skip'` or `'halt-all'`",
    fallback: "`'halt-range'`",
    meaning: 'What happens to a change that has used up its attempts.',
  },
  retry: {
    type: '`{ attemptsMax, firstMs, factor, maxMs, jitter }`',
    fallback: '`{ attemptsMax: Infinity, firstMs: 100, factor: 2, maxMs: 30000, jitter: 0.2 }`',
    meaning: 'How often and after what pauses a failed change is tried again. Attempts are counted over restarts.',
  },
  bisect: {
    type: 'boolean',
    fallback: '`true`',
    meaning: 'A batch that fails without saying which changes did is cut in halves until they are found.',
  },
  classify: {
    type: "`(error) => 'retry' | 'poison' | 'fatal'`",
    fallback: 'always `retry`',
    meaning: '`poison` uses up all attempts at once; `fatal` halts the range whatever `onFailure` says.',
  },
  deadLetters: {
    type: 'as `leases`',
    fallback: 'none',
    meaning:
      'Where parked changes go. Needed for `park-item` and `park-key`. Made with a partition key of version 2, because ids of letters are long.',
  },
  schema: {
    type: 'Standard Schema',
    fallback: 'none',
    meaning:
      'A validator (zod, valibot, arktype and others). What it refuses is parked or halts the range, and the handler gets what it returns.',
  },
  purpose: {
    type: 'string',
    fallback: 'not checked',
    meaning:
      'What the group does. A host with another purpose under the same name is refused: two programs that share a name by mistake would each see half of the changes.',
  },
  onPositionRefused: {
    type: "`'fail'`, `'from-now'` or `'from-beginning'`",
    fallback: "`'fail'`",
    meaning:
      'When the feed refuses a position (too old for its history, or of another container): stop and tell, or go on and tell of the gap.',
  },
  logger: {
    type: '`{ info, warn, error }`, or `false`',
    fallback: 'lines on standard error',
    meaning:
      'Where the processor says what matters: started, standing by, taking over, parked, what is wrong and that it is over. Each function is given a line and, for programs, what it is made of. `false`: says nothing.',
  },
  onEvent: {
    type: '`(event) => void`',
    fallback: 'none',
    meaning:
      'Told of everything that happens. The same events are on `node:diagnostics_channel` as `tidemark:processor.<type>`.',
  },
  signal: { type: 'AbortSignal', fallback: 'none', meaning: 'Stops the processor when it aborts.' },
  sessionToken: {
    type: 'string',
    fallback: 'none',
    meaning: 'Sent with reads of the source: answers are not older than it.',
  },
};
