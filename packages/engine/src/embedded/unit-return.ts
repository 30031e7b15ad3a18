// A unit that could not be decided comes back: with the bodies that it needs, or to the range that its partition key is in by now.

import { Buffer } from 'node:buffer';
import { docKey } from '../index/keys.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { checkMoved, readVersion } from '../state/read-documents.ts';
import type { FetchedBody, UnitHost, UnitSubmission } from './unit.ts';
import { unitTarget } from './unit.ts';

export class UnitReturn implements UnitHost {
  readonly state: DatabaseState;
  readonly #submit: (submission: UnitSubmission) => void;

  constructor(state: DatabaseState, submit: (submission: UnitSubmission) => void) {
    this.state = state;
    this.#submit = submit;
  }

  fetchBodies(submission: UnitSubmission, ids: readonly string[]): void {
    this.#withBodies(submission, ids).catch((error: unknown) => submission.fail(error));
  }

  reroute(submission: UnitSubmission): void {
    try {
      this.#again(submission, submission.bodies);
    } catch (error) {
      submission.fail(error);
    }
  }

  async #withBodies(submission: UnitSubmission, ids: readonly string[]): Promise<void> {
    const { container, unit } = submission;
    const bodies = new Map(submission.bodies);
    for (const id of ids) {
      const key = docKey(container.number, unit.partitionKey.epk, unit.partitionKey.bytes, Buffer.from(id));
      const hash = this.state.index.hashOf(key);
      const version = this.state.findDecided(key, hash);
      if (version === undefined) continue;
      const body = await readVersion(this.state, version);
      if (body !== undefined) bodies.set(id, { lsn: version.lsn, ix: version.ix, body });
      else checkMoved(version, this.state.findDecided(key, hash));
    }
    this.#again(submission, bodies);
  }

  #again(submission: UnitSubmission, bodies: Map<string, FetchedBody> | undefined): void {
    const { container, range, isFixed, unit } = submission;
    const target = unitTarget(this.state.container(container.number), isFixed ? range.entry.id : undefined, unit);
    this.#submit(submission.again(target, bodies));
  }
}
