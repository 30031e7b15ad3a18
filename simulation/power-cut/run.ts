// Writers, readers, splits and compaction on a machine whose power fails again and again, also while it recovers. After each
// cut the database is opened and everything that was promised is asked for.
//
//   every acknowledged unit is there, and one that was under way is there whole or not at all; users of the database too
//   what a reader was shown is still there, with the same LSN
//   no LSN belongs to two changes
//   feed, documents and `check` agree

import type { Container, RangeInfo, WriteCommand } from '@tidemark/engine/internal';
import {
  backUp,
  Container as ContainerOf,
  checkDatabase,
  EmbeddedEngine,
  Queries,
  readContainerDefinition,
} from '@tidemark/engine/internal';
import type { PartitionKeyDefinition } from '@tidemark/model';
import { effectiveKey, encodePartitionKeyBytes } from '@tidemark/model';
import { PoisonedFrames, PowerCutFiles, SeededRandom, VirtualClock } from '@tidemark/testing';
import type { IndexDisk, Interrupted } from './machine.ts';
import { Machine, turn } from './machine.ts';
import { NamedLane } from './named-lane.ts';

export interface PowerCutOptions {
  readonly seed: string;
  readonly cuts: number;
  readonly sync: 'full' | 'os';
  /** 'kill': the process dies and the system stays up. */
  readonly ending: 'cut' | 'kill';
  readonly isLying?: boolean;
  readonly index: IndexDisk;
}

export type Hit = Interrupted | 'split' | 'merge' | 'compaction' | 'backup' | 'recovery' | 'idle' | 'in flight';

export class Violation extends Error {}

export async function runPowerCuts(options: PowerCutOptions): Promise<ReadonlyMap<Hit, number>> {
  const run = new PowerCutRun(options);
  try {
    await run.run();
    return run.hits;
  } catch (error) {
    const how = `--seed ${options.seed} --sync ${options.sync} --ending ${options.ending} --cuts ${options.cuts}`;
    const message = `seed ${options.seed}, cut ${run.cuts}: ${String(error)}\n  replay: npm run simulate:power-cut -- ${how}`;
    throw new Violation(message, { cause: error });
  } finally {
    await options.index.end();
  }
}

const database = 'db';
const containers: readonly { readonly id: string; readonly historyMs: number }[] = [
  { id: 'plain', historyMs: 0 },
  { id: 'kept', historyMs: 3_600_000 },
];
const ids = ['a', 'b', 'c'];
/** Of one writer in one life. */
const unitsMax = 6;
const loneUnitsMax = 40;
const partitionKey: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 2 };

interface Stored {
  readonly op: number;
  readonly lsn: number;
}

/** The documents of one partition key by id; undefined for absent. */
type Partition = ReadonlyMap<string, Stored>;

/** One partition key, written by one writer at a time. */
interface Lane {
  readonly container: string;
  readonly pk: string;
  readonly key: { readonly values: readonly string[]; readonly bytes: Buffer; readonly epk: Buffer };
  /** States after each acknowledged unit, with its LSN; the first is the one before all of them. */
  states: { readonly lsn: number; readonly documents: Partition }[];
  /** Under way when the power failed: what it would have made, without an LSN yet. */
  pending: { readonly op: number; readonly changes: ReadonlyMap<string, number | undefined> } | undefined;
  /** Shown by a feed or a read before a cut. */
  shown: Map<string, Stored>;
  /** LSN → the unit that has it. */
  readonly owners: Map<number, number>;
}

class PowerCutRun {
  readonly hits = new Map<Hit, number>();
  cuts = 0;
  readonly #options: PowerCutOptions;
  readonly #random: SeededRandom;
  readonly #clock = new VirtualClock();
  readonly #lanes: Lane[];
  readonly #users: NamedLane;
  /** `range:lsn` → the unit that was acknowledged with it. */
  readonly #acknowledged = new Map<string, number>();
  #machine: Machine;
  #engine: EmbeddedEngine | undefined;
  #isCreated = false;
  #ops = 0;
  readonly #doing = new Set<Hit>();

  constructor(options: PowerCutOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#users = new NamedLane(new SeededRandom(`${options.seed}-users`), database);
    this.#machine = this.#machineOn(new PowerCutFiles());
    this.#lanes = containers.flatMap(({ id }) => ['x', 'y', 'z'].map((pk) => laneOf(id, pk)));
  }

  async run(): Promise<void> {
    while (this.cuts < this.#options.cuts) {
      await this.#open();
      await this.#verify();
      await this.#work();
      await this.#end();
    }
    await this.#open(false);
    await this.#verify();
    await this.#engine?.close();
  }

  #machineOn(disk: PowerCutFiles): Machine {
    return new Machine(disk, this.#options.index, this.#random.fork('machine'), this.#options.isLying ?? false);
  }

  /** Opens the database, through power cuts during recovery if it has to be. */
  async #open(mayFail = true): Promise<void> {
    for (;;) {
      const machine = this.#machine;
      if (mayFail && this.#random.bool(0.2)) machine.cutAfter(this.#random.int(30));
      const opening = EmbeddedEngine.open({
        files: machine.files,
        index: machine.index,
        environment: { clock: this.#clock, random: (target) => this.#random.bytes(target) },
        segments: { sync: this.#options.sync, segmentBytesMin: 8_192, segmentBytesMax: 16_384 },
        // So small that entries get to their places all the time, and the power goes while they do.
        late: { changesMax: 24, mergedMax: 8 },
        ...(this.#random.fork('rest').bool(0.5) ? { indexRestMs: 0 } : {}),
        frames: new PoisonedFrames(),
        isRestored: false,
      });
      opening.catch(() => {});
      await Promise.race([opening.catch((error) => this.#rethrow(error)), machine.out]);
      if (!machine.isOut) {
        machine.cutAfter(Number.POSITIVE_INFINITY);
        this.#engine = await opening;
        if (this.#isCreated) return;
        if (await this.#create()) return;
        await this.#end();
        continue;
      }
      this.#hit('recovery');
      await this.#end();
    }
  }

  #rethrow(error: unknown): void {
    if (!this.#machine.isOut) throw error;
  }

  /** Nothing is cut here: what is not acknowledged yet may be missing altogether, which proves nothing. */
  async #create(): Promise<boolean> {
    const engine = this.#engine as EmbeddedEngine;
    await engine.createDatabase(database);
    for (const { id, historyMs } of containers) {
      await engine.createContainer(database, readContainerDefinition({ id, partitionKey }), { ranges: 1, historyMs });
    }
    this.#isCreated = true;
    return true;
  }

  // Work until the power fails

  async #work(): Promise<void> {
    const machine = this.#machine;
    const lanes = this.#random.shuffle(this.#lanes).slice(0, 1 + this.#random.int(4));
    // Whoever writes alone for a while is flushed in another way.
    const lone = this.#random.bool(0.04) ? lanes[0] : undefined;
    machine.cutAfter(this.#random.int(lone === undefined ? this.#random.pick([12, 40, 120]) : 160));
    const work =
      lone === undefined
        ? [...lanes.map((lane) => this.#write(lane, unitsMax)), this.#maintain(), this.#read(), this.#name()]
        : [this.#write(lone, loneUnitsMax)];
    await Promise.race([Promise.all(work), machine.out]);
    if (!machine.isOut) this.#hit('idle');
  }

  async #name(): Promise<void> {
    try {
      await this.#users.work(this.#engine as EmbeddedEngine, () => this.#machine.isOut);
    } catch (error) {
      this.#rethrow(error);
    }
  }

  async #write(lane: Lane, most: number): Promise<void> {
    const units = 1 + this.#random.int(most);
    for (let i = 0; i < units && !this.#machine.isOut; i += 1) {
      const { commands, changes, op } = this.#unit(lane);
      lane.pending = { op, changes };
      try {
        const result = await this.#container(lane.container).commit(lane.key, commands);
        if (!result.isCommitted) throw new Violation(`a unit of ${lane.pk} was rejected: ${JSON.stringify(result)}`);
        this.#acknowledge(lane, op, changes, result.lsn, result.range);
      } catch (error) {
        this.#rethrow(error);
        return;
      }
    }
  }

  #unit(lane: Lane): { commands: WriteCommand[]; changes: Map<string, number | undefined>; op: number } {
    this.#ops += 1;
    const op = this.#ops;
    const before = (lane.states.at(-1) as Lane['states'][number]).documents;
    const changes = new Map<string, number | undefined>();
    const container = this.#container(lane.container);
    const commands = this.#random
      .shuffle(ids)
      .slice(0, this.#random.pick([1, 1, 1, 2, 3]))
      .map((id): WriteCommand => {
        if (before.has(id) && this.#random.bool(0.25)) {
          changes.set(id, undefined);
          return { kind: 'delete', id };
        }
        changes.set(id, op);
        const value = { id, pk: lane.pk, op, pad: 'x'.repeat(this.#random.int(this.#random.bool(0.15) ? 4_000 : 200)) };
        return { kind: 'upsert', document: container.readClient(value) };
      });
    return { commands, changes, op };
  }

  #acknowledge(
    lane: Lane,
    op: number,
    changes: ReadonlyMap<string, number | undefined>,
    lsn: number,
    range: string,
  ): void {
    const name = `${lane.container}/${range}:${lsn}`;
    const other = this.#acknowledged.get(name);
    if (other !== undefined && this.#options.sync === 'full') {
      throw new Violation(`LSN ${lsn} of range ${range} was given to units ${other} and ${op}`);
    }
    this.#acknowledged.set(name, op);
    lane.states.push({ lsn, documents: applied(lane, changes, lsn) });
    lane.pending = undefined;
    this.#own(lane, lsn, op);
  }

  #own(lane: Lane, lsn: number, op: number): void {
    const owner = lane.owners.get(lsn);
    if (owner !== undefined && owner !== op)
      throw new Violation(`LSN ${lsn} of ${lane.pk} is of units ${owner} and ${op}`);
    lane.owners.set(lsn, op);
  }

  async #maintain(): Promise<void> {
    for (let i = this.#random.int(4); i > 0 && !this.#machine.isOut; i -= 1) {
      const kind = this.#random.pick([
        'split',
        'merge',
        'compaction',
        'compaction',
        'backup',
        'time',
        'settle',
      ] as const);
      for (let turns = this.#random.int(4); turns > 0; turns -= 1) await turn();
      try {
        if (kind === 'time') this.#clock.jump(this.#random.int(3_000));
        else if (kind === 'settle') await this.#engine?.settle();
        else await this.#during(kind, () => this.#maintainBy(kind));
      } catch (error) {
        this.#rethrow(error);
      }
    }
  }

  async #during(kind: Hit, work: () => Promise<unknown>): Promise<void> {
    this.#doing.add(kind);
    await work();
    // Left in when the power fails: it was being done.
    if (!this.#machine.isOut) this.#doing.delete(kind);
  }

  async #maintainBy(kind: 'split' | 'merge' | 'compaction' | 'backup'): Promise<void> {
    const engine = this.#engine as EmbeddedEngine;
    const container = this.#container(this.#random.pick(containers).id);
    const { number } = container.info;
    if (kind === 'compaction') {
      await engine.trim(number);
      for (let rounds = 0; rounds < 3 && (await engine.compact()); rounds += 1);
      return;
    }
    if (kind === 'backup') {
      await backUp(engine, this.#machine.files, new PowerCutFiles());
      return;
    }
    const ranges = engine.ranges(number);
    if (kind === 'split' && ranges.length < 4) await engine.split(number, this.#random.pick(ranges).id);
    if (kind === 'merge' && ranges.length > 1) {
      const left = this.#random.int(ranges.length - 1);
      await engine.merge(number, (ranges[left] as RangeInfo).id, (ranges[left + 1] as RangeInfo).id);
    }
  }

  /** Whatever a feed shows before the cut must be there after it. */
  async #read(): Promise<void> {
    for (let i = 0; i < 6 && !this.#machine.isOut; i += 1) {
      await turn();
      try {
        for (const { id } of containers) for (const item of await this.#latest(id)) this.#show(id, item);
      } catch (error) {
        this.#rethrow(error);
        return;
      }
    }
  }

  #show(container: string, item: FeedItem): void {
    const lane = this.#lanes.find((other) => other.container === container && other.pk === item.pk) as Lane;
    lane.shown.set(item.id, { op: item.op, lsn: item._lsn });
    this.#own(lane, item._lsn, item.op);
  }

  async #end(): Promise<void> {
    const { ending, index } = this.#options;
    this.cuts += 1;
    const machine = this.#machine;
    if (machine.interrupted !== undefined) this.#hit(machine.interrupted);
    for (const kind of this.#doing) this.#hit(kind);
    if (this.#lanes.some((lane) => lane.pending !== undefined) || this.#users.isInFlight) this.#hit('in flight');
    this.#doing.clear();
    machine.end();
    const disk = ending === 'kill' ? machine.disk.kill() : machine.disk.cut(this.#random);
    // What waits in the old process gets to see that it is over.
    for (let turns = 0; turns < 4; turns += 1) await turn();
    if (ending === 'kill') await index.afterKill();
    else await index.afterCut(this.#random);
    this.#machine = this.#machineOn(disk);
    this.#engine = undefined;
  }

  #hit(kind: Hit): void {
    this.hits.set(kind, (this.hits.get(kind) ?? 0) + 1);
  }

  // What must be there

  async #verify(): Promise<void> {
    const engine = this.#engine as EmbeddedEngine;
    for (const lane of this.#lanes) await this.#verifyLane(lane);
    const { sync, ending } = this.#options;
    const wrong = this.#users.verify(engine, sync === 'os' && ending === 'cut');
    if (wrong !== undefined) throw new Violation(wrong);
    for (const { id } of containers) await this.#verifyFeed(id);
    const { problems } = await checkDatabase(engine, this.#machine.files);
    if (problems.length > 0) throw new Violation(`check: ${problems.slice(0, 3).join('; ')}`);
  }

  async #verifyLane(lane: Lane): Promise<void> {
    const engine = this.#engine as EmbeddedEngine;
    const container = this.#container(lane.container);
    const found = new Map<string, Stored>();
    for (const id of ids) {
      const document = await engine.get(container.info.number, { id, partitionKey: lane.key.bytes, epk: lane.key.epk });
      if (document === undefined) continue;
      const { op, _lsn } = JSON.parse(document.bytes.toString('utf8')) as FeedItem;
      found.set(id, { op, lsn: _lsn });
      this.#own(lane, _lsn, op);
    }
    const tail = engine
      .ranges(container.info.number)
      .find(({ id }) => id === engine.rangeOf(container.info.number, lane.key.epk));
    this.#settleLane(lane, found, tail?.tailLsn ?? -1);
  }

  /** Finds the state that the lane is in now: the last acknowledged one, or that with the unit under way. */
  #settleLane(lane: Lane, found: Partition, tailLsn: number): void {
    const where = `${lane.container} ${lane.pk}`;
    const isLossAllowed = this.#options.sync === 'os' && this.#options.ending === 'cut';
    // In os mode a prefix survives: everything up to the tail, and nothing after it.
    if (isLossAllowed) {
      lane.states = lane.states.filter((state) => state.lsn <= tailLsn);
      for (const lsn of [...lane.owners.keys()]) if (lsn > tailLsn) lane.owners.delete(lsn);
    }
    const last = lane.states.at(-1) as Lane['states'][number];
    if (last.lsn > tailLsn) throw new Violation(`${where}: LSN ${last.lsn} was acknowledged, the tail is ${tailLsn}`);
    if (isSame(found, last.documents)) {
      lane.pending = undefined;
    } else {
      const survived = lane.pending === undefined ? undefined : survivedAs(last.documents, lane.pending.changes, found);
      if (survived === undefined) {
        const names = { found: [...found], acknowledged: [...last.documents], pending: lane.pending?.changes };
        throw new Violation(
          `${where}: ${JSON.stringify(names, (_, value) => (value instanceof Map ? [...value] : value))}`,
        );
      }
      lane.states.push({ lsn: survived ?? tailLsn, documents: found });
      lane.pending = undefined;
    }
    if (!isLossAllowed) this.#verifyShown(lane, found);
    lane.shown.clear();
    lane.states = lane.states.slice(-1);
  }

  #verifyShown(lane: Lane, found: Partition): void {
    for (const [id, shown] of lane.shown) {
      const now = found.get(id);
      if (now === undefined || now.lsn > shown.lsn) continue;
      if (now.lsn === shown.lsn && now.op === shown.op) continue;
      throw new Violation(
        `${lane.pk}/${id}: a reader saw unit ${shown.op} at LSN ${shown.lsn}, now ${now.op} at ${now.lsn}`,
      );
    }
  }

  async #verifyFeed(id: string): Promise<void> {
    const items = await this.#latest(id);
    const shown = new Map(items.map((item) => [`${item.pk}/${item.id}`, item]));
    if (shown.size !== items.length) throw new Violation(`the feed of ${id} shows a document twice`);
    let stored = 0;
    for (const lane of this.#lanes) {
      if (lane.container !== id) continue;
      for (const [name, { op, lsn }] of (lane.states.at(-1) as Lane['states'][number]).documents) {
        stored += 1;
        const item = shown.get(`${lane.pk}/${name}`);
        if (item?.op !== op || item._lsn !== lsn)
          throw new Violation(`the feed of ${id} has ${JSON.stringify(item)} for unit ${op} at ${lsn}`);
      }
    }
    if (stored !== items.length) throw new Violation(`the feed of ${id} shows ${items.length} documents of ${stored}`);
    if (id === 'kept') await this.#verifyHistory();
  }

  /** Every unit that was acknowledged is in the history with its LSN, and no LSN is of two units. */
  async #verifyHistory(): Promise<void> {
    const engine = this.#engine as EmbeddedEngine;
    const { number } = this.#container('kept').info;
    for (const range of engine.ranges(number)) {
      const scope = { container: number, range: range.id };
      const request = { mode: 'all', after: range.floorLsn, itemsMax: 10_000, bytesMax: 1 << 22 } as const;
      const page = await engine.feed(scope, request);
      const items = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as VersionItem[];
      for (const { current, metadata } of items) {
        if (current.op === undefined) continue;
        const lane = this.#lanes.find((other) => other.container === 'kept' && other.pk === current.pk) as Lane;
        this.#own(lane, metadata.lsn, current.op);
      }
    }
  }

  async #latest(id: string): Promise<FeedItem[]> {
    const engine = this.#engine as EmbeddedEngine;
    const { number } = this.#container(id).info;
    const items: FeedItem[] = [];
    for (const range of engine.ranges(number)) {
      const scope = { container: number, range: range.id };
      try {
        const page = await engine.feed(scope, { mode: 'latest', after: 0, itemsMax: 1_000, bytesMax: 1 << 22 });
        items.push(...(JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as FeedItem[]));
      } catch (error) {
        // Split or merged since the ranges were listed: this look is given up, the next one sees the children.
        if ((error as { code?: unknown }).code !== 'range-gone') throw error;
        return [];
      }
    }
    return items;
  }

  #container(id: string): Container {
    const engine = this.#engine as EmbeddedEngine;
    const found = engine.containers(database).find((info) => info.id === id);
    if (found === undefined) throw new Violation(`the container ${id} is gone`);
    return new ContainerOf(
      engine,
      found.number,
      new Queries({ clock: this.#clock, random: (target) => this.#random.bytes(target) }),
    );
  }
}

interface FeedItem {
  readonly id: string;
  readonly pk: string;
  readonly op: number;
  readonly _lsn: number;
}

interface VersionItem {
  readonly current: Partial<FeedItem>;
  readonly metadata: { readonly lsn: number };
}

function laneOf(container: string, pk: string): Lane {
  const epk = Buffer.from(effectiveKey(partitionKey, [pk]));
  return {
    container,
    pk,
    key: { values: [pk], bytes: Buffer.from(encodePartitionKeyBytes([pk])), epk },
    states: [{ lsn: 0, documents: new Map() }],
    pending: undefined,
    shown: new Map(),
    owners: new Map(),
  };
}

function applied(lane: Lane, changes: ReadonlyMap<string, number | undefined>, lsn: number): Partition {
  const documents = new Map((lane.states.at(-1) as Lane['states'][number]).documents);
  for (const [id, op] of changes) {
    if (op === undefined) documents.delete(id);
    else documents.set(id, { op, lsn });
  }
  return documents;
}

function isSame(a: Partition, b: Partition): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([id, { op, lsn }]) => b.get(id)?.op === op && b.get(id)?.lsn === lsn);
}

/** The LSN that the unit under way survived with, `null` when it only deleted; undefined when this is not its outcome. */
function survivedAs(
  before: Partition,
  changes: ReadonlyMap<string, number | undefined>,
  found: Partition,
): number | null | undefined {
  let lsn: number | null = null;
  for (const id of ids) {
    const now = found.get(id);
    if (!changes.has(id)) {
      if (now?.op !== before.get(id)?.op || now?.lsn !== before.get(id)?.lsn) return undefined;
      continue;
    }
    const op = changes.get(id);
    if (now?.op !== op) return undefined;
    if (now === undefined) continue;
    if (lsn !== null && lsn !== now.lsn) return undefined;
    lsn = now.lsn;
  }
  return lsn;
}
