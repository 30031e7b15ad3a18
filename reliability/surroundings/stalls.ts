// The process of the server stands still, as when a machine pages or a hypervisor looks elsewhere, and goes on.

import { setTimeout as pause } from 'node:timers/promises';
import { Load } from '../load/load.ts';
import type { Trouble } from './trouble.ts';

/** How long it stands still. The first is shorter than anything that waits for it; the last longer than hosts renew. */
const stallsMs: readonly number[] = [50, 200, 1_500];
const writesBetween = 60;

export const stalls: Trouble = {
  name: 'a server that stands still and goes on, under load',
  run: async () => {
    await using load = await Load.open({ clients: 1, keysPerClient: 4, hosts: 1 });
    const { child } = load.setting.server;
    load.start();
    for (const stallMs of stallsMs) {
      await load.untilAcknowledged(load.judge.acknowledged + writesBetween);
      child.kill('SIGSTOP');
      await pause(stallMs);
      child.kill('SIGCONT');
    }
    await load.untilAcknowledged(load.judge.acknowledged + writesBetween);
    await load.settle();
    await load.stop();
    return load.problems;
  },
};
