// Makes the pumps of a host.

import type { SourceIdentity } from '../feed/feed-source.ts';
import type { Handler } from '../observer.ts';
import { ProcessorError } from '../processor-error.ts';
import type { PumpSettings } from '../settings.ts';
import type { DocumentStore } from '../store/document-store.ts';
import { DeadLetters } from './dead-letters.ts';
import type { MakePump } from './pump.ts';
import type { PumpParts } from './pump-parts.ts';
import { RangePump } from './range-pump.ts';
import { ReplayBoard } from './replay-board.ts';
import type { StandardSchema } from './schema.ts';

export interface PumpFactoryOptions {
  readonly settings: PumpSettings;
  readonly handler: Handler<unknown>;
  readonly identity: SourceIdentity;
  /** What it refuses becomes a dead letter, or halts the range. */
  readonly schema?: StandardSchema | undefined;
  /** Where changes are parked; `group` is the prefix of the group's leases: ids of letters begin with it. */
  readonly deadLetters?: { readonly store: DocumentStore; readonly group: string } | undefined;
}

export function makePumpFactory(options: PumpFactoryOptions): MakePump {
  const { settings, handler, identity, schema, deadLetters: place } = options;
  const { action } = settings.failure;
  if (place === undefined && (action === 'park-item' || action === 'park-key')) {
    throw new ProcessorError('invalid-option', `The failure action '${action}' needs a container for dead letters.`);
  }
  const deadLetters = place === undefined ? undefined : new DeadLetters(place.store, place.group);
  const replays = deadLetters === undefined ? undefined : new ReplayBoard(deadLetters);
  const parts: PumpParts = { settings, handler, identity, schema, deadLetters, replays };
  return (lease, context) => new RangePump(parts, lease, context);
}
