// Documents of the full size, as fast as they go.

import { overlayBytesMax, queuedBytesMax } from '../../packages/engine/src/limits.ts';
import { bodiesBytesMax } from '../../packages/server/src/limits.ts';
import type { Abuse } from './abuse.ts';
import { slackBytes } from './abuse.ts';
import { fillLarge, putLarge } from './large-documents.ts';

const writers = 64;
const documents = 96;

export const largeFlood: Abuse = {
  name: `documents of 2 MiB from ${writers} clients at full speed`,
  growthBytesMax: bodiesBytesMax + queuedBytesMax + overlayBytesMax + slackBytes,
  run: async (scene) => {
    await fillLarge(scene);
    let begun = 0;
    const statuses = new Set<number>();
    const write = async (): Promise<void> => {
      while (begun < documents) {
        begun += 1;
        statuses.add(await putLarge(scene.url, `flood ${begun % writers}`));
      }
    };
    const flood = Promise.all(Array.from({ length: writers }, write));
    await scene.othersAreServed();
    await flood;
    const odd = [...statuses].filter((status) => ![200, 201, 429, 503].includes(status));
    return odd.length === 0 ? [] : [`a large document was answered with ${odd.join()}`];
  },
};
