// Who should have which lease (F7). Pure: every host computes the same from the same list, so no host is asked and nobody leads.
//
// Each host has a quota, its share of the leases by capacity; what is left over goes to those who have it already, then by name. A host
// keeps what it has up to its quota. What is free or too much goes to hosts below theirs, by rendezvous hash, so that few leases move when
// hosts come and go.

export interface BalanceLease {
  readonly id: string;
  readonly token: string;
  /** Undefined when it is free or its owner is dead. */
  readonly owner: string | undefined;
}

export interface BalanceHost {
  readonly name: string;
  /** 0: it is about to leave. */
  readonly capacity: number;
  /** 0: no bound. */
  readonly rangesMin: number;
  readonly rangesMax: number;
  /** Tokens of ranges that failed there a moment ago. */
  readonly avoided: ReadonlySet<string>;
}

/** Lease id → name of the host that should have it. Leases that no host may take are missing. */
export type BalanceStrategy = (
  leases: readonly BalanceLease[],
  hosts: readonly BalanceHost[],
  me: string,
) => ReadonlyMap<string, string>;

export const balanceEvenly: BalanceStrategy = (leases, hosts) => {
  const quotas = shareOut(leases, hosts);
  const assigned = new Map<string, string>();
  const open: BalanceLease[] = [];
  for (const [owner, held] of byOwner(leases)) {
    const host = hosts.find(({ name }) => name === owner);
    const quota = quotas.get(owner) ?? 0;
    const wanted = held.filter(({ token }) => !host?.avoided.has(token));
    const kept = new Set(byScore(wanted, owner).slice(0, quota));
    for (const lease of held) {
      if (kept.has(lease)) assigned.set(lease.id, owner);
      else open.push(lease);
    }
    quotas.set(owner, quota - kept.size);
  }
  open.push(...leases.filter(({ owner }) => owner === undefined));
  open.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const lease of open) {
    const taker = chooseTaker(lease, hosts, quotas);
    if (taker === undefined) continue;
    assigned.set(lease.id, taker);
    quotas.set(taker, (quotas.get(taker) ?? 0) - 1);
  }
  return assigned;
};

/** One lease after the other goes to the host that is most below its share. */
function shareOut(leases: readonly BalanceLease[], hosts: readonly BalanceHost[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const { owner } of leases) if (owner !== undefined) held.set(owner, (held.get(owner) ?? 0) + 1);
  const quotas = new Map(hosts.map(({ name }) => [name, 0]));
  const quotaOf = (host: BalanceHost): number => quotas.get(host.name) ?? 0;
  const isBetter = (a: BalanceHost, b: BalanceHost): boolean => {
    const [isShortA, isShortB] = [quotaOf(a) < a.rangesMin, quotaOf(b) < b.rangesMin];
    if (isShortA !== isShortB) return isShortA;
    const difference = (quotaOf(a) + 1) / a.capacity - (quotaOf(b) + 1) / b.capacity;
    if (Math.abs(difference) > 1e-9) return difference < 0;
    // Not simply who holds more: hosts that notice a death one after the other would each leave the rest to another.
    const [doesKeepA, doesKeepB] = [a, b].map((host) => (held.get(host.name) ?? 0) > quotaOf(host));
    return doesKeepA === doesKeepB ? a.name < b.name : doesKeepA === true;
  };
  for (let i = 0; i < leases.length; i += 1) {
    let best: BalanceHost | undefined;
    for (const host of hosts) {
      const isFull = host.capacity <= 0 || (host.rangesMax > 0 && quotaOf(host) >= host.rangesMax);
      if (!isFull && (best === undefined || isBetter(host, best))) best = host;
    }
    if (best === undefined) break;
    quotas.set(best.name, quotaOf(best) + 1);
  }
  return quotas;
}

function chooseTaker(
  lease: BalanceLease,
  hosts: readonly BalanceHost[],
  quotas: ReadonlyMap<string, number>,
): string | undefined {
  const below = hosts.filter(({ name }) => (quotas.get(name) ?? 0) > 0);
  const willing = below.filter(({ avoided }) => !avoided.has(lease.token));
  // Somebody above the quota is better than somebody who cannot read it.
  const elsewhere = hosts.filter(
    ({ capacity, rangesMax, avoided }) => capacity > 0 && rangesMax === 0 && !avoided.has(lease.token),
  );
  const choice = [willing, elsewhere, below].find(({ length }) => length > 0) ?? [];
  return choice.reduce<{ name: string; score: number } | undefined>((best, { name }) => {
    const score = rendezvous(lease.id, name);
    return best === undefined || score > best.score ? { name, score } : best;
  }, undefined)?.name;
}

function byOwner(leases: readonly BalanceLease[]): Map<string, BalanceLease[]> {
  const owners = new Map<string, BalanceLease[]>();
  for (const lease of leases) {
    if (lease.owner === undefined) continue;
    const held = owners.get(lease.owner);
    if (held === undefined) owners.set(lease.owner, [lease]);
    else held.push(lease);
  }
  return owners;
}

function byScore(leases: readonly BalanceLease[], host: string): BalanceLease[] {
  const scored = leases.map((lease) => ({ lease, score: rendezvous(lease.id, host) }));
  return scored.sort((a, b) => b.score - a.score || (a.lease.id < b.lease.id ? -1 : 1)).map(({ lease }) => lease);
}

/** FNV-1a over both names, stirred: the same on every host and every platform. */
function rendezvous(lease: string, host: string): number {
  let hash = 0x811c9dc5;
  const text = `${lease}\n${host}`;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
