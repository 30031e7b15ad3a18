// What all pumps of a host share.

import type { SourceIdentity } from '../feed/feed-source.ts';
import type { Handler } from '../observer.ts';
import type { PumpSettings } from '../settings.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { ReplayBoard } from './replay-board.ts';
import type { StandardSchema } from './schema.ts';

export interface PumpParts {
  readonly settings: PumpSettings;
  readonly handler: Handler<unknown>;
  readonly identity: SourceIdentity;
  /** What it refuses becomes a dead letter, or halts the range. */
  readonly schema: StandardSchema | undefined;
  readonly deadLetters: DeadLetters | undefined;
  readonly replays: ReplayBoard | undefined;
}
