// What each event and each health problem means, one line each. The reference page is made from it.

import type { HealthProblem, ProcessorEvent } from './events.ts';

export const eventMeanings: Readonly<Record<ProcessorEvent['type'], string>> = {
  started: 'The group exists, and this host takes part in it.',
  stopped: 'Nothing runs any more: no handler, no timer, no request.',
  'lease.acquired':
    'This host has a range. `from` says how: free, expired, stolen, handed over, or its own of before a restart.',
  'lease.released': 'This host gave a range back, or handed it to another one (`to`).',
  'lease.lost': 'Another host has taken a range.',
  'lease.renewed': 'The lease was written only to stay.',
  'range.opened': "The observer's `open` has returned; changes follow.",
  'range.closed': 'No change of this range is delivered here any more. `reason` says why.',
  'range.split': 'The range is gone; its children go on from the last acknowledged position. Also after a merge.',
  'batch.delivered': 'The handler has finished a batch.',
  'batch.failed': 'The handler has failed; what happens next is up to the retry policy.',
  checkpoint: 'A position was stored: everything before it is done.',
  idle: 'The range was read to its end and nothing new was there.',
  'item.parked': 'A change went to the dead letters.',
  'item.skipped': 'A change was passed over because the policy says so.',
  'item.replayed': 'The handler has finished with a change that was parked; its dead letter is gone.',
  'item.refused': 'The replay of a dead letter has failed; it stays, with the new error.',
  paused: 'The group stands still until it is resumed.',
  resumed: 'The group reads again.',
  tick: 'This host has looked at all leases.',
  health: 'Something that a person should look at; see below.',
  healthy: 'That is over; with `isLeft` only here, since the range is not read by this host any more.',
};

export const healthMeanings: Readonly<Record<HealthProblem, string>> = {
  'lease-store-failing':
    'The lease container does not answer, or refuses. Ranges are kept as long as their leases allow.',
  'feed-failing': 'A range cannot be read.',
  'handler-failing': 'The handler fails again and again for the same changes.',
  'handler-slow': 'A handler call, or `open` of the observer, takes longer than `handlerWarnMs`.',
  'handler-hung': 'A handler call neither ends nor obeys its signal.',
  'no-progress': 'There is something to do and nothing gets done.',
  halted: 'The policy has stopped a range or the group. `resume` lets it try again.',
  'dead-letters-failing': 'The dead letters cannot be written, so the range stands still: nothing is skipped.',
  'coverage-hole': 'The leases do not cover the container. The hole is mended when it stays.',
  'duplicate-lease': 'A range has more than one lease document.',
  'lease-edited': 'Somebody has changed the position in a lease; it was put back.',
  'lease-deleted': 'A lease document has disappeared; it is made anew from its last position.',
  'parent-not-removed':
    'The lease of a range that was split cannot be deleted: the credentials do not allow it. It is never read again.',
  'clock-skew': 'The clock of this host differs from that of the server. Nothing depends on it, but hosts of .NET do.',
  'start-differs': 'The group began with another `start` than this host has; the one that was written down counts.',
  'instance-taken': 'Another process has the same instance name. This one stops.',
  'source-replaced': 'The container was deleted and made anew.',
  'position-refused': 'The feed refuses a stored position.',
  'credentials-refused': 'The server refuses the credentials.',
  'stop-waits':
    'A stop has taken two seconds and is not done. The message says what it waits for and when it ends in any case.',
};
