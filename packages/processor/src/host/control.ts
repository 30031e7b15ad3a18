// Pausing and resuming a whole group: one document that every host sees at its next look (F16, S42).

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId } from '../lease/lease-names.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { Control } from './group.ts';
import { readControl } from './group.ts';

export interface ControlParts extends Ground {
  readonly store: DocumentStore;
  readonly names: LeaseNames;
}

/** Pauses with a reason, or resumes where there is none. Any client may: it needs no lease. */
export async function writeControl(
  parts: ControlParts,
  pause: { readonly reason: string } | undefined,
  signal?: AbortSignal,
): Promise<Control> {
  const { store, clock } = parts;
  const id = sidecarId(parts.names, 'control');
  for (let tries = 0; tries <= triesMax; tries += 1) {
    const current = await store.read(id, { signal });
    const before = readControl(current);
    const body = {
      id,
      paused: pause !== undefined,
      reason: pause?.reason ?? null,
      turn: before.turn + 1,
    };
    try {
      const stored = await (current === undefined ? store.create(body, signal) : store.replace(current, body, signal));
      return readControl(stored);
    } catch (error) {
      const isOther = isDatabaseError(error) && otherWriter.has(error.code);
      if (!isOther) throw error;
      await clock.sleep(retryPauseMs(parts, tries), signal);
    }
  }
  throw new DatabaseError('unavailable', `The control document of ${parts.names.prefix} is written by too many.`);
}

const triesMax = 5;
const otherWriter: ReadonlySet<string> = new Set([
  'precondition-failed',
  'conflict',
  'not-found',
  'outcome-unknown',
  'request-timeout',
  'unavailable',
  'too-many-requests',
]);
