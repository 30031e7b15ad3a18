// The committer: decide → frame → append → flush → publish → acknowledge.
//
// A unit is decided the moment it arrives, on top of everything decided before it, and joins the open group. At most one
// group is being flushed; when it is on disk it is published, the open group is closed and flushed in turn, and the callers
// are answered. So a lone writer pays one flush and a thousand writers share it, without a timer; and while one half of a
// crowd is being flushed the other half is decided (group-pace.ts).
//
//   open      decided, in memory only; later decisions see it, readers do not
//   closed    encoded into a frame and appended; being flushed
//   durable   published: visible, its callers answered, waiters woken
//
// An answer, a rejection included, is given when every group it saw is durable. A flush that fails ends it all: its group is
// answered `outcome-unknown`, what was decided on top of it is void, and the database is read-only until it is opened again.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import { groupBytesMax, groupsPerTurn, groupUnitsMax, queuedBytesMax, queuedUnitsMax } from '../limits.ts';
import type { FrameMemory } from '../log/frame-memory.ts';
import type { SegmentStore } from '../log/segment-store.ts';
import type { DurableGroup } from '../state/group.ts';
import { OpenGroup, RunPool } from '../state/group.ts';
import { FlushChoice } from './flush-choice.ts';
import { GroupPace } from './group-pace.ts';
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
  readonly nextSequence: number;
  readonly frames: FrameMemory;
  /** Starts the next segment, with its META frame, which takes the sequence it is given. */
  roll(sequence: number, needBytes: number): Promise<void>;
  /** Makes a durable group visible. */
  publish(group: DurableGroup): void;
  /** Whether there is room in the overlay, and a promise that there is. */
  hasRoom(): boolean;
  room(): Promise<void>;
  /** Told when decisions that were not published are void. */
  onVoid(): void;
  /** Told once, when a flush has failed. */
  onFailure(error: DatabaseError): void;
}

export class Committer {
  readonly #options: CommitterOptions;
  readonly #pool: RunPool;
  #open: OpenGroup;
  /** Submissions that found the open group full. */
  readonly #queue: Submission[] = [];
  #queuedBytes = 0;
  /** The group that is being written and flushed, until it is published. */
  #inFlight: Promise<void> | undefined;
  /** The end of this turn of the event loop, when the open group waits for it. */
  #turnEnd: Promise<void> | undefined;
  #failure: DatabaseError | undefined;
  #isClosing = false;
  #nextSequence: number;
  #groups = 0;
  #units = 0;
  #groupBytes = 0;
  #flushMs = 0;
  readonly #pace: GroupPace;
  readonly #choice: FlushChoice;
  /** Everybody who writes is in the group that is in flight. */
  #isOfAll = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#pool = new RunPool(options.frames);
    this.#open = new OpenGroup(this.#pool);
    this.#nextSequence = options.nextSequence;
    this.#pace = new GroupPace(options.environment.clock);
    this.#choice = new FlushChoice(options.environment.clock);
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
    if (this.#inFlight !== undefined) return;
    this.#startWhenDue();
  }

  /** Refuses everything from now on; what is under way is finished first. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#idle();
    this.#failure ??= closed();
  }

  /** Refuses everything from now on because of this; a group that is being flushed has its own outcome. */
  refuse(failure: DatabaseError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#options.onFailure(failure);
    if (this.#inFlight === undefined) this.#voidAll(failure);
  }

  async #idle(): Promise<void> {
    for (;;) {
      const busy = this.#inFlight ?? this.#turnEnd;
      if (busy === undefined) return;
      await busy;
    }
  }

  get #isFull(): boolean {
    return this.#open.bytes >= groupBytesMax || this.#open.units >= groupUnitsMax;
  }

  get #isDue(): boolean {
    return this.#isFull || this.#pace.isDue(this.#open.units);
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

  #start(): void {
    this.#takeQueued();
    const group = this.#open;
    if (group.hasNobody) return;
    this.#open = new OpenGroup(this.#pool);
    this.#isOfAll = this.#pace.hasAll(group.units);
    this.#pace.started(group.units);
    this.#inFlight = this.#commit(group);
    this.#takeQueued();
  }

  #startWhenDue(): void {
    if (this.#isDue && !this.#choice.isLikely) this.#start();
    else this.#startAtTurnEnd();
  }

  /** Whoever is ready to write in this turn of the event loop goes along. */
  #startAtTurnEnd(): void {
    this.#turnEnd ??= this.#options.environment.clock.nextTurn().then(() => {
      this.#turnEnd = undefined;
      if (this.#inFlight === undefined && this.#failure === undefined) this.#start();
    });
  }

  /** Everything up to the answers. Never rejects. */
  async #commit(group: OpenGroup): Promise<void> {
    const failure = await this.#makeVisible(group);
    this.#inFlight = undefined;
    this.#pace.ended(this.#open.units, failure === undefined && !group.isEmpty);
    if (this.#failure !== undefined) this.#voidAll(this.#failure);
    else if (!this.#open.hasNobody || this.#queue.length > 0) {
      // Before the callers are answered: while they come back with more, the disk has something to do.
      this.#startWhenDue();
    }
    group.settle(failure);
  }

  /** Resolves with the reason why the group will not be. */
  async #makeVisible(group: OpenGroup): Promise<DatabaseError | undefined> {
    if (group.isEmpty) return undefined;
    const options = this.#options;
    let durable: DurableGroup;
    try {
      // Without a flush nothing else does: whoever writes in a loop would keep everybody else from going on.
      if (this.#groups % groupsPerTurn === groupsPerTurn - 1) await options.environment.clock.nextTurn();
      if (!options.hasRoom()) await options.room();
    } catch (error) {
      return this.#voidDecided(error);
    }
    try {
      const { frameBytes } = group;
      if (!options.segments.hasRoomFor(frameBytes)) await this.#roll(frameBytes);
      durable = await this.#write(group);
    } catch (error) {
      // Only a full disk shows before anything has been touched.
      return isDatabaseError(error) && error.code === 'disk-full' ? this.#voidDecided(error) : this.#fail(error);
    }
    try {
      options.publish(durable);
    } catch (error) {
      // Publishing reads the index. What is on disk stays; whoever waits must not wait for ever.
      return this.#fail(error);
    }
    this.#groups += 1;
    this.#units += group.units;
    this.#groupBytes += durable.view.header.length;
    return undefined;
  }

  async #roll(frameBytes: number): Promise<void> {
    await this.#options.roll(this.#nextSequence, frameBytes);
    this.#nextSequence += 1;
  }

  async #write(group: OpenGroup): Promise<DurableGroup> {
    const { segments, environment } = this.#options;
    const { salt, id: segment, usedBytes: offset, recordCount: firstOrdinal } = segments.active;
    const closed = group.close({ salt, segment, sequence: this.#nextSequence, offset, firstOrdinal });
    this.#nextSequence += 1;
    const { bytes, header } = closed.view;
    const beforeMs = environment.clock.monotonicMs();
    if (segments.hasAppendSync && this.#choice.begins(group.units, bytes.length, this.#isOfAll)) {
      segments.appendSync(bytes, header.recordCount);
      this.#choice.endedAtOnce();
    } else {
      await segments.append(bytes, header.recordCount);
      this.#choice.endedByThread(this.#isOfAll);
    }
    this.#flushMs += environment.clock.monotonicMs() - beforeMs;
    return closed;
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
  #voidDecided(error: unknown): DatabaseError {
    const failure = isDatabaseError(error)
      ? error
      : new DatabaseError('unavailable', 'The next log segment could not be made.', { cause: error });
    const onTop = this.#open;
    this.#open = new OpenGroup(this.#pool);
    this.#options.onVoid();
    onTop.settle(failure);
    return failure;
  }

  #fail(error: unknown): DatabaseError {
    this.#failure = new DatabaseError(
      'read-only',
      'The log could not be flushed; the database is read-only until it is opened again.',
      { cause: error },
    );
    const message = 'The flush failed: whether this write survives will be known when the database is opened again.';
    this.#options.onFailure(this.#failure);
    return new DatabaseError('outcome-unknown', message, { cause: error });
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
