// One way to be a bad client.

import type { Setting } from '../../conformance/processor/setting.ts';

export interface Scene {
  readonly setting: Setting;
  readonly port: number;
  readonly url: string;
  /** Resolves when others were served a while longer; to be called while the abuse is at its worst. */
  readonly othersAreServed: () => Promise<void>;
}

export interface Abuse {
  readonly name: string;
  /** What the server may grow by, as measured from outside, and the limits that this comes from. */
  readonly growthBytesMax: number;
  /** In the short form, too. */
  readonly isQuick?: true;
  /** Findings. */
  run(scene: Scene): Promise<string[]>;
}

/** Beside what is bounded by name: garbage that was not collected yet, compiled code, and what the allocator keeps. */
export const slackBytes: number = 160 * 1024 * 1024;
