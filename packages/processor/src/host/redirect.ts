// Where a range begins, and where it goes on when the feed does not know its range or its position any more.

import type { FeedStart, PhysicalRange } from '../feed/feed-source.ts';
import type { Acquired } from '../lease/acquire.ts';
import type { Lease } from '../lease/lease.ts';
import { startSlackMs } from '../limits.ts';
import { messageOf } from '../processor-error.ts';
import type { PumpEnd } from '../pump/pump.ts';
import type { MissingLease } from './audit.ts';
import type { BootstrapParts, Bootstrapped } from './bootstrap.ts';
import { acquireParts, feedCall, firstPosition } from './bootstrap.ts';
import { replaceLease, succession } from './split.ts';
import type { Tenure } from './tenure.ts';
import type { Redirection } from './tenure-parts.ts';

export interface RedirectParts extends BootstrapParts {
  readonly boot: Bootstrapped;
  readonly reserve: (tenure: Tenure, leaseIds: readonly string[]) => void;
  readonly onRanges: (ranges: readonly PhysicalRange[]) => void;
  /** Rejects when the container is not the one that the group began with. */
  readonly refuseReplaced: () => Promise<void>;
}

export async function firstStart(parts: RedirectParts, { lease }: Acquired): Promise<FeedStart> {
  if (lease.position !== undefined) return { position: lease.position };
  const { start, timeMs, mode } = parts.boot.start;
  if (start !== 'now') return start;
  // `now` is the moment in which the group began, whoever made this lease without a position; all versions start nowhere else than now.
  if (mode === 'latest') return { timeMs: timeMs - startSlackMs };
  const position = await firstPosition(parts, described(lease), 'now');
  return position === undefined ? 'now' : { position };
}

export async function redirect(parts: RedirectParts, tenure: Tenure, why: PumpEnd): Promise<Redirection> {
  if (why.kind !== 'gone') return reposition(parts, tenure, why);
  const ranges = await feedCall(parts, (signal) => parts.source.ranges(signal));
  parts.onRanges(ranges);
  const lease = described(tenure.acquired.lease);
  if (succession(lease, ranges).kind === 'same') return { kind: 'same' };
  return replace(parts, tenure, ranges);
}

/**
 * Leases of others cover the keys of this one, wholly or in parts. Resolves with the leases that were made for the rest, which are this
 * host's; undefined where that is not so any more.
 */
export async function supersede(parts: RedirectParts, tenure: Tenure): Promise<readonly Acquired[] | undefined> {
  const ranges = await feedCall(parts, (signal) => parts.source.ranges(signal));
  const replaced = await replace(parts, tenure, ranges);
  return replaced.kind === 'replaced' ? replaced.successors : undefined;
}

async function replace(
  parts: RedirectParts,
  tenure: Tenure,
  ranges: readonly PhysicalRange[],
): Promise<Extract<Redirection, { readonly kind: 'replaced' | 'same' }>> {
  const { rules, health } = parts;
  const { names } = parts.boot;
  const splitParts = {
    ...acquireParts(parts, names),
    names,
    health,
    isTombstone: (lease: Lease) => rules.isTombstone(lease),
    reserve: (leaseIds: readonly string[]) => parts.reserve(tenure, leaseIds),
  };
  const lease = described(tenure.acquired.lease);
  const position = rules.childPosition(tenure.keeper, tenure.pump);
  const replacement = await replaceLease(splitParts, tenure.keeper, lease, ranges, position);
  if (replacement === undefined) return { kind: 'same' };
  return { kind: 'replaced', successors: replacement.created, tokens: replacement.tokens };
}

/** The feed does not know the position: it is of another container, too old, or of a history that was replaced (S22, S23). */
async function reposition(parts: RedirectParts, tenure: Tenure, why: PumpEnd): Promise<Redirection> {
  const { settings, health } = parts;
  await parts.refuseReplaced();
  const cause = messageOf('error' in why ? why.error : why.kind);
  const what = `The feed refuses position ${tenure.keeper.position} of range ${tenure.token}: ${cause}`;
  if (settings.onPositionRefused === 'fail') {
    return { kind: 'barred', problem: 'position-refused', message: `${what} It stands still until somebody decides.` };
  }
  const start = settings.onPositionRefused === 'from-now' ? 'now' : 'beginning';
  const position = await firstPosition(parts, described(tenure.acquired.lease), start);
  await tenure.keeper.reset(position);
  const gap = start === 'now' ? `Changes between it and ${position} are not delivered.` : 'Everything is read again.';
  health.raise('position-refused', tenure.token, `${what} ${gap}`);
  return { kind: 'same', start };
}

function described({ token, kind, keys }: Lease): MissingLease {
  return { token, kind, keys: keys ?? { min: '', max: 'FF' } };
}
