// Settings of hosts in worlds: the defaults, but for what would make a run long without showing more.

import { settingsOf } from '../options.ts';
import type { ProcessorSettings } from '../settings.ts';

const { instance: _, ...defaults } = settingsOf(
  { name: 'group', start: 'beginning', source: undefined as never, leases: undefined as never },
  'any',
);

export const worldSettings: Omit<ProcessorSettings, 'instance'> = {
  ...defaults,
  lease: { ...defaults.lease, handoffMs: 15_000 },
  pump: {
    ...defaults.pump,
    itemsMax: 10,
    idleCheckpointMs: 30_000,
    failure: { ...defaults.pump.failure, retry: { ...defaults.pump.failure.retry, maxMs: 10_000 } },
    handlerWarnMs: 20_000,
    handlerMsMax: 60_000,
    stallMs: 45_000,
  },
};
