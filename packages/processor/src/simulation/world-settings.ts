// Settings that make a world small: seconds where a real group has minutes, in the same proportions.

import { defaultFailurePolicy } from '../failure-policy.ts';
import type { ProcessorSettings } from '../settings.ts';

export const worldSettings: Omit<ProcessorSettings, 'instance'> = {
  name: 'group',
  mode: 'latest',
  start: 'beginning',
  purpose: undefined,
  onPositionRefused: 'fail',
  lease: {
    renewMs: 1200,
    acquireMs: 1000,
    expirationMs: 4500,
    fenceMarginMs: 1000,
    handoffMs: 1500,
    joinMs: 150,
    rangesMin: 0,
    rangesMax: 0,
    capacity: 1,
    auditLooks: 3,
  },
  pump: {
    itemsMax: 10,
    pollMs: 500,
    pollMsMin: 50,
    waitMs: 2500,
    checkpoint: { kind: 'every-batch' },
    idleCheckpointMs: 2000,
    lanes: 1,
    readAheadPages: 3,
    readAheadBytes: 1_000_000,
    failure: {
      ...defaultFailurePolicy,
      retry: { attemptsMax: Number.POSITIVE_INFINITY, firstMs: 50, factor: 2, maxMs: 800, jitter: 0.2 },
    },
    handlerWarnMs: 1500,
    handlerMsMax: 4000,
    stallMs: 3000,
  },
};
