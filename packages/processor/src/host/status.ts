// What a host can say of itself and its group, as of its last look.

import type { HealthProblem } from '../events.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { Control, Group } from './group.ts';
import type { Health } from './health.ts';
import type { Plan } from './plan.ts';
import type { TenureState } from './tenure-states.ts';
import type { Tenures } from './tenures.ts';

interface RangeStatus {
  readonly leaseToken: string;
  readonly owner: string | undefined;
  readonly epoch: number | undefined;
  readonly position: string | undefined;
  /** What this host does with it; undefined when it is another's. */
  readonly state: TenureState | undefined;
}

export interface HostStatus {
  readonly group: string;
  readonly instance: string;
  readonly ranges: readonly RangeStatus[];
  readonly hosts: readonly string[];
  readonly isPaused: boolean;
  readonly pauseReason: string | undefined;
  readonly problems: readonly { readonly problem: HealthProblem; readonly leaseToken: string | undefined }[];
}

export function statusOf(
  settings: ProcessorSettings,
  members: { readonly tenures: Tenures } | undefined,
  group: Group | undefined,
  plan: Plan | undefined,
  control: Control | undefined,
  health: Health,
): HostStatus {
  const ranges = (group?.leases ?? []).map((lease): RangeStatus => {
    const tenure = members?.tenures.get(lease.id);
    return {
      leaseToken: lease.token,
      owner: tenure === undefined ? lease.owner : settings.instance,
      epoch: tenure?.acquired.epoch ?? lease.mark?.epoch,
      position: tenure?.keeper.position ?? lease.position,
      state: tenure?.state,
    };
  });
  return {
    group: settings.name,
    instance: settings.instance,
    ranges,
    hosts: (plan?.hosts ?? []).map(({ name }) => name),
    isPaused: control?.isPaused ?? false,
    pauseReason: control?.reason,
    problems: health.current,
  };
}
