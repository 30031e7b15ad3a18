// The life of one owned lease as a table. SPEC.md explains it; the compiler sees to it that no event is forgotten in any state.
//
//   opening ─opened─▶ running ─drain─▶ draining ─drained─▶ closing ─closed─▶ ended
//                      │  │  └─pause─▶ pausing ──drained─▶ parking ─closed─▶ parked ─resume─▶ opening
//                      │  └─gone, refused─▶ redirecting ─redirected─▶ running, or ─replaced─▶ closing
//                      └─lost, fenced─▶ aborting ─(pump ended)─▶ closing

export type TenureState =
  /** The start is made fast, the observer's `open` runs. No pump yet. */
  | 'opening'
  /** The pump runs. */
  | 'running'
  /** The pump finishes what is in flight; then this host lets the lease go. */
  | 'draining'
  /** The pump finishes what is in flight; then the lease is kept and nobody reads. */
  | 'pausing'
  /** This host may not go on. The signal has aborted; the pump is waited for, for a while. */
  | 'aborting'
  /** The pump has ended because the range or the position is not valid any more: where does it go on? */
  | 'redirecting'
  /** The observer's `close` runs; then the lease is kept. */
  | 'parking'
  /** Kept and renewed, not read: the group is paused, or the range is halted. */
  | 'parked'
  /** The observer's `close` runs, then the last write of the lease. */
  | 'closing'
  | 'ended';

export type TenureEvent =
  | 'opened'
  | 'open-failed'
  // How a pump ends.
  | 'drained'
  | 'gone'
  | 'refused'
  | 'halted'
  | 'feed-failed'
  | 'aborted'
  // What the host wants.
  | 'drain'
  | 'pause'
  | 'resume'
  // What the keeper found.
  | 'lost'
  | 'fenced'
  // Time is over: for a drain, or for a pump that was aborted.
  | 'overdue'
  // What redirecting found: the range goes on as it is, has successors, goes on nowhere for now, or must wait for a person.
  | 'redirected'
  | 'replaced'
  | 'stuck'
  | 'barred'
  /** The observer is closed; in `closing` the last write is done too. */
  | 'closed';

/** `-`: it may happen and changes nothing. `!`: it cannot happen; SPEC.md says why, and the simulation fails if it does. */
export type TenureStep = TenureState | '-' | '!';

// tidy: table
export const tenureTable: Readonly<Record<TenureState, Readonly<Record<TenureEvent, TenureStep>>>> = {
  opening: {
    opened: 'running',
    'open-failed': 'closing',
    drained: '!',
    gone: '!',
    refused: '!',
    halted: '!',
    'feed-failed': '!',
    aborted: '!',
    drain: 'draining',
    pause: 'pausing',
    resume: '-',
    lost: 'aborting',
    fenced: 'aborting',
    overdue: '-',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: '!',
  },
  running: {
    opened: '!',
    'open-failed': '!',
    // A pump says so only when it was told to drain, which leads out of this state; the next one here is a new pump.
    drained: '!',
    gone: 'redirecting',
    refused: 'redirecting',
    halted: 'parking',
    'feed-failed': 'closing',
    aborted: 'closing',
    drain: 'draining',
    pause: 'pausing',
    resume: '-',
    lost: 'aborting',
    fenced: 'aborting',
    overdue: '-',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: '!',
  },
  draining: {
    opened: 'closing',
    'open-failed': 'closing',
    drained: 'closing',
    // The next owner is told the same and makes the successors.
    gone: 'closing',
    refused: 'closing',
    halted: 'closing',
    'feed-failed': 'closing',
    aborted: 'closing',
    drain: '-',
    pause: '-',
    resume: '-',
    lost: 'aborting',
    fenced: 'aborting',
    overdue: 'aborting',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: '!',
  },
  pausing: {
    opened: 'parking',
    'open-failed': 'closing',
    drained: 'parking',
    gone: 'parking',
    refused: 'parking',
    halted: 'parking',
    'feed-failed': 'parking',
    aborted: 'closing',
    drain: 'draining',
    pause: '-',
    resume: '-',
    lost: 'aborting',
    fenced: 'aborting',
    overdue: '-',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: '!',
  },
  // The signal has aborted on the way here: what ends from then on has failed to open, was aborted or is stuck, whatever it says itself.
  // Only successors that were made in the last moment count.
  aborting: {
    opened: '!',
    'open-failed': 'closing',
    drained: '!',
    gone: '!',
    refused: '!',
    halted: '!',
    'feed-failed': '!',
    aborted: 'closing',
    drain: '-',
    pause: '-',
    resume: '-',
    lost: '-',
    fenced: '-',
    overdue: 'closing',
    redirected: '!',
    replaced: 'closing',
    stuck: 'closing',
    barred: '!',
    closed: '!',
  },
  redirecting: {
    opened: '!',
    'open-failed': '!',
    drained: '!',
    gone: '!',
    refused: '!',
    halted: '!',
    'feed-failed': '!',
    aborted: '!',
    // Successors are nearly there; a drain waits for them, until its time is over.
    drain: '-',
    pause: '-',
    resume: '-',
    lost: 'aborting',
    fenced: 'aborting',
    overdue: 'aborting',
    redirected: 'running',
    replaced: 'closing',
    stuck: 'closing',
    barred: 'parking',
    closed: '!',
  },
  parking: {
    opened: '!',
    'open-failed': '!',
    drained: '!',
    gone: '!',
    refused: '!',
    halted: '!',
    'feed-failed': '!',
    aborted: '!',
    drain: 'closing',
    pause: '-',
    resume: '-',
    lost: 'closing',
    fenced: 'closing',
    overdue: '-',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: 'parked',
  },
  parked: {
    opened: '!',
    'open-failed': '!',
    drained: '!',
    gone: '!',
    refused: '!',
    halted: '!',
    'feed-failed': '!',
    aborted: '!',
    drain: 'closing',
    pause: '-',
    resume: 'opening',
    lost: 'closing',
    fenced: 'closing',
    overdue: '-',
    redirected: '!',
    replaced: '!',
    stuck: '!',
    barred: '!',
    closed: '-',
  },
  closing: {
    // What was left behind by an abort may still end.
    opened: '-',
    'open-failed': '-',
    drained: '-',
    gone: '-',
    refused: '-',
    halted: '-',
    'feed-failed': '-',
    aborted: '-',
    drain: '-',
    pause: '-',
    resume: '-',
    lost: '-',
    fenced: '-',
    overdue: '-',
    redirected: '-',
    replaced: '-',
    stuck: '-',
    barred: '-',
    closed: 'ended',
  },
  ended: {
    opened: '-',
    'open-failed': '-',
    drained: '-',
    gone: '-',
    refused: '-',
    halted: '-',
    'feed-failed': '-',
    aborted: '-',
    drain: '-',
    pause: '-',
    resume: '-',
    lost: '-',
    fenced: '-',
    overdue: '-',
    redirected: '-',
    replaced: '-',
    stuck: '-',
    barred: '-',
    closed: '-',
  },
};
