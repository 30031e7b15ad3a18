// What a host does after a look at its group. Pure: what was seen, who am I, what time is it → what to take, adopt and hand over.

import type { KeyRange } from '@tidemark/model';
import { intersectKeyRanges } from '@tidemark/model';
import { handedOverBeat } from '../lease/dotnet-lease.ts';
import type { Holder } from '../lease/holder.ts';
import { nonceOfWrite } from '../lease/holder.ts';
import type { Lease } from '../lease/lease.ts';
import type { Sightings } from '../lease/sightings.ts';
import type { LeaseSettings } from '../settings.ts';
import type { BalanceHost, BalanceStrategy } from './balance.ts';
import type { Group } from './group.ts';
import type { HostBeat } from './heartbeat.ts';
import type { HostRules } from './rules.ts';

export interface PlanFacts {
  readonly group: Group;
  readonly holder: Holder;
  readonly settings: LeaseSettings;
  readonly rules: HostRules;
  readonly balance: BalanceStrategy;
  readonly sightings: Sightings;
  readonly nowMs: number;
  readonly wallMs: number;
  /** Ids of leases that this host is at work on, in whatever state. */
  readonly running: ReadonlySet<string>;
  /** Their keys. */
  readonly endingKeys: readonly KeyRange[];
  /** Tokens that failed here a moment ago. */
  readonly avoided: ReadonlySet<string>;
  /** The highest epoch of a lease that this host held or gave away. */
  readonly heldEpoch: (leaseId: string) => number;
  readonly beatSentAtMs: (beat: number) => number | undefined;
  /** Since when this host should have the lease and another one does not hand it over. */
  readonly wantedSinceMs: (leaseId: string) => number | undefined;
}

export interface Taking {
  readonly lease: Lease;
  readonly from: 'free' | 'expired' | 'own' | 'stolen';
  /** How long the former owner may be at work after it was robbed. */
  readonly waitMs: number;
}

export interface Plan {
  readonly take: readonly Taking[];
  /** Handed over to this host, to be held from the moment in which it sent the beat that the former owner saw. */
  readonly adopt: readonly { readonly lease: Lease; readonly epoch: number; readonly sentAtMs: number }[];
  readonly handOver: readonly { readonly leaseId: string; readonly to: string }[];
  /** Leases that others should hand over to this host. */
  readonly wanted: ReadonlySet<string>;
  readonly hosts: readonly BalanceHost[];
  readonly live: readonly HostBeat[];
}

export function makePlan(facts: PlanFacts): Plan {
  const { group, holder, settings, nowMs } = facts;
  const owners = new Map(group.leases.map((lease) => [lease.id, ownerOf(lease, facts)]));
  const live = liveBeats(facts);
  const hosts = hostsOf(facts, live, owners);
  const leases = group.leases.map(({ id, token }) => ({ id, token, owner: owners.get(id) }));
  const assigned = facts.balance(leases, hosts, holder.instance);

  const take: Taking[] = [];
  const adopt: { lease: Lease; epoch: number; sentAtMs: number }[] = [];
  const handOver: { leaseId: string; to: string }[] = [];
  const wanted = new Set<string>();
  let isStealing = false;
  for (const lease of group.leases) {
    const owner = owners.get(lease.id);
    const target = assigned.get(lease.id);
    if (facts.running.has(lease.id)) {
      const to = live.find(({ instance }) => instance === target);
      if (owner === holder.instance && target !== holder.instance && isReady(to, facts)) {
        handOver.push({ leaseId: lease.id, to: to.instance });
      }
    } else if (facts.avoided.has(lease.token) || lease.keys === undefined) {
    } else if (owner === holder.instance && isSuccessor(lease, facts)) {
    } else if (owner === holder.instance) {
      const adopted = adoption(lease, facts);
      if (adopted !== undefined) adopt.push(adopted);
      else take.push({ lease, from: 'own', waitMs: 0 });
    } else if (target !== holder.instance) {
    } else if (owner === undefined) {
      take.push({ lease, from: lease.owner === undefined ? 'free' : 'expired', waitMs: 0 });
    } else if (!isOurs(lease)) {
      // A host of .NET hands nothing over. Like it, one at a time, so that its count can follow.
      if (!isStealing) take.push({ lease, from: 'stolen', waitMs: 0 });
      isStealing = true;
    } else {
      wanted.add(lease.id);
      const sinceMs = facts.wantedSinceMs(lease.id) ?? nowMs;
      const isAtOnce = settings.handoffMs === 0;
      const patienceMs = isAtOnce ? 0 : 2 * (settings.handoffMs + settings.acquireMs);
      // Of a dead one the lease will expire; robbing it would only take longer.
      const isAlive = isAtOnce || facts.sightings.writtenMs(lease.stored, nowMs) <= 2 * settings.renewMs;
      if (isAlive && nowMs - sinceMs >= patienceMs) {
        // It writes its lease and does not let it go: cut off from the rest of the group, perhaps. By then its time is over.
        take.push({ lease, from: 'stolen', waitMs: isAtOnce ? 0 : settings.expirationMs });
      }
    }
  }
  return { take, adopt, handOver, wanted, hosts, live };
}

/** Undefined when the lease is free, or its owner must be dead. */
function ownerOf(lease: Lease, facts: PlanFacts): string | undefined {
  const { rules, sightings, nowMs, settings, wallMs, holder } = facts;
  if (lease.owner === undefined || lease.owner === holder.instance) return lease.owner;
  return rules.isExpired(lease, sightings, nowMs, settings, wallMs) ? undefined : lease.owner;
}

/** Made by this process for a range that it still closes: it is opened when that is done, never beside it. */
function isSuccessor({ mark, keys }: Lease, { holder, endingKeys }: PlanFacts): boolean {
  if (mark?.nonce !== holder.nonce || keys === undefined) return false;
  return endingKeys.some((other) => intersectKeyRanges(keys, other) !== undefined);
}

/** Whether a host of this library has acquired it last: only those hand over. */
function isOurs(lease: Lease): boolean {
  return lease.mark !== undefined && lease.mark.instance === lease.owner;
}

function liveBeats(facts: PlanFacts): HostBeat[] {
  const { group, sightings, nowMs, settings, holder } = facts;
  const { expirationMs, renewMs } = settings;
  // After an outage for all, everybody has time for a beat.
  const isDead = (stored: HostBeat['stored']): boolean =>
    sightings.silentMs(stored, nowMs) >= expirationMs &&
    sightings.unchangedMs(stored, nowMs) >= Math.min(2 * renewMs, expirationMs);
  // One of long ago is not waited for: the server has stamped it and this host's own. Leases that it owns expire as ever.
  const nowSeconds = secondsOf(group.beats.find(({ instance }) => instance === holder.instance)?.stored);
  const isLongDead = (stored: HostBeat['stored']): boolean =>
    sightings.writtenMs(stored, nowMs) === Number.POSITIVE_INFINITY &&
    (nowSeconds - secondsOf(stored)) * 1000 >= 2 * expirationMs;
  return group.beats.filter(
    ({ stored, instance }) => instance !== holder.instance && !isDead(stored) && !isLongDead(stored),
  );
}

/** NaN, which is never long ago, where the store does not stamp. */
function secondsOf(stored: HostBeat['stored'] | undefined): number {
  return Number(stored?.body['_ts'] ?? Number.NaN);
}

function hostsOf(
  facts: PlanFacts,
  live: readonly HostBeat[],
  owners: ReadonlyMap<string, string | undefined>,
): BalanceHost[] {
  const { holder, settings, avoided } = facts;
  const me: BalanceHost = { name: holder.instance, ...settings, avoided };
  const others = live.map(
    ({ instance, capacity, rangesMin, rangesMax, isLeaving, avoided: tokens }): BalanceHost => ({
      name: instance,
      capacity: isLeaving ? 0 : capacity,
      rangesMin: isLeaving ? 0 : rangesMin,
      rangesMax,
      avoided: new Set(tokens),
    }),
  );
  const names = new Set([me, ...others].map(({ name }) => name));
  const silent = [...new Set(owners.values())].filter((owner) => owner !== undefined && !names.has(owner));
  const foreign = silent.map(
    (name): BalanceHost => ({ name: name as string, capacity: 1, rangesMin: 0, rangesMax: 0, avoided: new Set() }), // Not undefined: filtered.
  );
  return [me, ...others, ...foreign].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a range can be handed to the host: it has shown life lately and stays. */
function isReady(to: HostBeat | undefined, facts: PlanFacts): to is HostBeat {
  const { settings, sightings, nowMs } = facts;
  if (to === undefined || to.isLeaving || settings.handoffMs === 0) return false;
  return sightings.writtenMs(to.stored, nowMs) <= 2 * settings.renewMs;
}

/**
 * A range that was handed to this process needs no write to be held: the former owner had seen a beat, so it let go after that beat was
 * sent. Only once for each epoch, and only while much of the time is left; otherwise it is acquired like any other.
 */
function adoption(lease: Lease, facts: PlanFacts): Plan['adopt'][number] | undefined {
  const { holder, settings, rules, nowMs } = facts;
  const { mark } = lease;
  const beat = handedOverBeat(lease);
  if (mark === undefined || beat === undefined || mark.nonce !== holder.nonce) return undefined;
  if (nonceOfWrite(mark.writeId) === holder.nonce || mark.epoch <= facts.heldEpoch(lease.id)) return undefined;
  const sentAtMs = facts.beatSentAtMs(beat);
  if (sentAtMs === undefined || lease.keys === undefined) return undefined;
  const isTimeLeft = rules.holdUntilMs(sentAtMs, settings) - nowMs >= settings.expirationMs / 4;
  return isTimeLeft ? { lease, epoch: mark.epoch, sentAtMs } : undefined;
}
