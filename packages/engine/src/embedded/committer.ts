// The committer: decide → frame → append → flush → publish → acknowledge.
//
// A unit is decided the moment it arrives, on top of everything decided before it, and joins the open group. At most one
// group is being flushed; when it is on disk it is published, its callers are answered, and the open group is closed and
// flushed in turn. So a lone writer pays one flush and a thousand writers share it, without a timer.
//
//   open      decided, in memory only; later decisions see it, readers do not
//   closed    encoded into a frame and appended; being flushed
//   durable   published: in the overlay, visible, its callers answered, waiters woken
//
// An answer, a rejection included, is given when every group it saw is durable. A flush that fails ends it all: its group is
// answered `outcome-unknown`, what was decided on top of it is void, and the database is read-only until it is opened again.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import { groupBytesMax, groupUnitsMax, queuedBytesMax, queuedUnitsMax } from '../limits.ts';
import type { SegmentStore } from '../log/segment-store.ts';
import type { DurableGroup } from '../state/group.ts';
import { OpenGroup, RunPool } from '../state/group.ts';
import type { EngineFigures } from './health.ts';

/** What a submission does with its turn: it adds its records to the group and says how it will be answered. */
export interface Submission {
  /** An estimate for the bounds of the queue. */
  readonly bytes: number;
  /** Decides. Called once, at once when there is room in the open group, in the order of submission. */
  decide(group: OpenGroup): void;
  /** Told instead of `decide` when the database can no longer commit. */
  fail(error: DatabaseError): void;
}

export interface CommitterOptions {
  readonly environment: Environment;
  readonly segments: SegmentStore;
  readonly sync: 'full' | 'os';
  readonly nextSequence: number;
  /** Starts the next segment, with its META frame, which takes the sequence it is given. */
  roll(sequence: number, needBytes: number): Promise<void>;
  /** Makes a durable group visible. */
  publish(group: DurableGroup): void;
  /** Resolves when there is room in the overlay. */
  room(): Promise<void>;
  /** Told when decisions that were not published are void. */
  onVoid(): void;
  /** Told once, when a flush has failed. */
  onFailure(error: DatabaseError): void;
}

export class Committer {
  readonly #options: CommitterOptions;
  readonly #pool = new RunPool();
  #open = new OpenGroup(this.#pool);
  /** Submissions that found the open group full. */
  readonly #queue: Submission[] = [];
  #queuedBytes = 0;
  #running: Promise<void> | undefined;
  #failure: DatabaseError | undefined;
  #isClosing = false;
  #nextSequence: number;
  #groups = 0;
  #units = 0;
  #groupBytes = 0;
  #flushMs = 0;
  /** In the last group; tells a lone writer from a crowd. */
  #unitsBefore = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#nextSequence = options.nextSequence;
  }

  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  get figures(): Pick<EngineFigures, 'groups' | 'units' | 'groupBytes' | 'flushMs'> {
    return { groups: this.#groups, units: this.#units, groupBytes: this.#groupBytes, flushMs: this.#flushMs };
  }

  /** The sequence of the last frame that was appended. */
  get sequence(): number {
    return this.#nextSequence - 1;
  }

  submit(submission: Submission): void {
    if (this.#failure !== undefined || this.#isClosing) {
      submission.fail(this.#failure ?? closed());
      return;
    }
    // Nobody overtakes those who wait already: they would wait as long as others keep coming.
    if (this.#isFull || this.#queue.length > 0) {
      if (this.#queue.length >= queuedUnitsMax || this.#queuedBytes + submission.bytes > queuedBytesMax) {
        submission.fail(tooManyRequests());
        return;
      }
      this.#queue.push(submission);
      this.#queuedBytes += submission.bytes;
      return;
    }
    this.#decide(submission);
    this.#running ??= this.#run();
  }

  /** Refuses everything from now on; what is under way is finished first. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#idle();
    this.#failure ??= closed();
  }

  async #idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  get #isFull(): boolean {
    return this.#open.bytes >= groupBytesMax || this.#open.units >= groupUnitsMax;
  }

  #decide(submission: Submission): void {
    const group = this.#open;
    const waiting = group.waiting;
    submission.decide(group);
    // Who went to fetch a body has left nothing in the group; a group full of nobody would never be written.
    if (group.waiting === waiting) return;
    group.bytes += submission.bytes;
    group.units += 1;
  }

  async #run(): Promise<void> {
    // Whoever is ready to write in this turn of the event loop goes along, but a writer that was alone goes at once.
    await (this.#unitsBefore > 1 ? this.#options.environment.clock.nextTurn() : undefined);
    for (;;) {
      this.#takeQueued();
      if (this.#open.hasNobody || this.#failure !== undefined) break;
      const group = this.#open;
      this.#open = new OpenGroup(this.#pool);
      this.#takeQueued();
      await this.#commit(group);
      this.#unitsBefore = group.units;
      if (group.units === 1 && this.#open.hasNobody) break;
      await this.#options.environment.clock.nextTurn();
    }
    this.#running = undefined;
    if (this.#failure !== undefined) this.#voidAll(this.#failure);
    else if (!this.#open.hasNobody || this.#queue.length > 0) this.#running = this.#run();
  }

  async #commit(group: OpenGroup): Promise<void> {
    if (group.isEmpty) {
      group.settle(undefined);
      return;
    }
    let durable: DurableGroup;
    try {
      await this.#options.room();
    } catch (error) {
      this.#voidDecided(group, error);
      return;
    }
    try {
      await this.#makeRoom(group.frameBytes);
      durable = await this.#write(group);
    } catch (error) {
      // Only a full disk shows before anything has been touched.
      if (isDatabaseError(error) && error.code === 'disk-full') this.#voidDecided(group, error);
      else this.#fail(group, error);
      return;
    }
    try {
      this.#options.publish(durable);
    } catch (error) {
      // Publishing reads the index. What is on disk stays; whoever waits must not wait for ever.
      this.#fail(group, error);
      return;
    }
    this.#groups += 1;
    this.#units += group.units;
    this.#groupBytes += durable.view.header.length;
    group.settle(undefined);
  }

  async #makeRoom(frameBytes: number): Promise<void> {
    if (this.#options.segments.hasRoomFor(frameBytes)) return;
    await this.#options.roll(this.#nextSequence, frameBytes);
    this.#nextSequence += 1;
  }

  async #write(group: OpenGroup): Promise<DurableGroup> {
    const { segments } = this.#options;
    const active = segments.active;
    const closed = group.close({
      salt: active.salt,
      segment: active.id,
      sequence: this.#nextSequence,
      offset: active.usedBytes,
      firstOrdinal: active.recordCount,
    });
    this.#nextSequence += 1;
    await segments.append(closed.frame, closed.group.view.header.recordCount);
    if (this.#options.sync === 'full') {
      const { clock } = this.#options.environment;
      const beforeMs = clock.monotonicMs();
      await segments.flush();
      this.#flushMs += clock.monotonicMs() - beforeMs;
    }
    return closed.group;
  }

  #takeQueued(): void {
    while (this.#queue.length > 0 && !this.#isFull && this.#failure === undefined) {
      const submission = this.#queue.shift() as Submission;
      this.#queuedBytes -= submission.bytes;
      this.#decide(submission);
    }
  }

  /**
   * Nothing was written: there was no room for the next segment, or the index does not keep up. What was decided rests on a
   * state that will never be, so it is void with everything decided on top of it, and the next write tries again.
   */
  #voidDecided(group: OpenGroup, error: unknown): void {
    const failure = isDatabaseError(error)
      ? error
      : new DatabaseError('unavailable', 'The next log segment could not be made.', { cause: error });
    const onTop = this.#open;
    this.#open = new OpenGroup(this.#pool);
    this.#options.onVoid();
    group.settle(failure);
    onTop.settle(failure);
  }

  #fail(group: OpenGroup, error: unknown): void {
    this.#failure = new DatabaseError(
      'read-only',
      'The log could not be flushed; the database is read-only until it is opened again.',
      { cause: error },
    );
    const message = 'The flush failed: whether this write survives will be known when the database is opened again.';
    group.settle(new DatabaseError('outcome-unknown', message, { cause: error }));
    this.#options.onFailure(this.#failure);
  }

  #voidAll(failure: DatabaseError): void {
    const group = this.#open;
    this.#open = new OpenGroup(this.#pool);
    group.settle(failure);
    for (const submission of this.#queue.splice(0)) submission.fail(failure);
    this.#queuedBytes = 0;
  }
}

function closed(): DatabaseError {
  return new DatabaseError('closed', 'The database has been closed.');
}

function tooManyRequests(): DatabaseError {
  return new DatabaseError('too-many-requests', 'Too many writes are waiting to be committed. Try again.', {
    retryAfterMs: 10,
  });
}
