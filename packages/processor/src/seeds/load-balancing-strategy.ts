// Own rules for who takes which range (M12).

import type { BalanceStrategy } from '../host/balance.ts';
import { balanceEvenly } from '../host/balance.ts';

export interface StrategyLease {
  readonly id: string;
  readonly leaseToken: string;
  /** Undefined: free, or its owner is dead. */
  readonly owner: string | undefined;
}

/** Asked at every look at the leases. */
export interface PartitionLoadBalancingStrategy {
  /** Those that this host should take now. What it has already it keeps, until another host takes it. */
  selectLeasesToTake(allLeases: readonly StrategyLease[]): Iterable<StrategyLease>;
}

export function balanceBy(strategy: PartitionLoadBalancingStrategy): BalanceStrategy {
  return (leases, _, me) => {
    const all = leases.map(({ id, token, owner }) => ({ id, leaseToken: token, owner }));
    const assigned = new Map<string, string>();
    for (const { id, owner } of all) if (owner !== undefined) assigned.set(id, owner);
    for (const { id } of strategy.selectLeasesToTake(all)) assigned.set(id, me);
    return assigned;
  };
}

/** Of one range only; the others are spread among the others as if this host were not there. */
export function balanceOnly(leaseToken: string): BalanceStrategy {
  return (leases, hosts, me) => {
    const others = hosts.filter(({ name }) => name !== me);
    const assigned = new Map(
      balanceEvenly(
        leases.filter(({ token }) => token !== leaseToken),
        others,
        me,
      ),
    );
    for (const { id, token } of leases) if (token === leaseToken) assigned.set(id, me);
    return assigned;
  };
}
