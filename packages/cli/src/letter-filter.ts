// Which dead letters a command is about.

import type { LetterFilter } from '@tidemark/processor';
import type { Call } from './call.ts';
import { textOption } from './call.ts';

export function letterFilterOf(call: Call): LetterFilter {
  return {
    id: textOption(call, 'letter'),
    itemId: textOption(call, 'document'),
    laneKey: textOption(call, 'partitionKeyJson'),
    error: textOption(call, 'error'),
  };
}
