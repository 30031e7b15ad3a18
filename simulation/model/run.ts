// One random history against the reference model.

import type { Container, UnitResult } from '@tidemark/engine/internal';
import { backUp, readContainerDefinition, restore } from '@tidemark/engine/internal';
import type { ErrorCode } from '@tidemark/model';
import { effectiveKey, encodePartitionKeyBytes, isDatabaseError } from '@tidemark/model';
import { PowerCutFiles, SeededRandom } from '@tidemark/testing';
import { docKey } from '../../packages/engine/src/index/keys.ts';
import { commandOf, contentOf, etagOf } from './commands.ts';
import type { Observed } from './observe.ts';
import { agree, canonical, compareAll, compareLatest } from './observe.ts';
import type { Expectation, ExpectedMutation, ModelKey, ModelOperation, ModelVersion } from './reference.ts';
import { ModelContainer, modelKey, nameOf } from './reference.ts';
import { stepsByWeight } from './steps.ts';
import { World } from './world.ts';

export interface ModelRunOptions {
  readonly seed: string;
  readonly steps: number;
}

const restoredTailGap: number = 2 ** 20;
const compactionsMax = 60;

export async function runModel(options: ModelRunOptions): Promise<Readonly<Record<string, number>>> {
  const run = new ModelRun(options);
  try {
    await run.run();
    return run.counts;
  } catch (error) {
    const replay = `npm run simulate:model -- --seed ${options.seed} --steps ${options.steps}`;
    const trace = run.trace.slice(-25).join(' | ');
    throw new Error(
      `seed ${options.seed}, step ${run.trace.length}: ${String(error)}\n  replay: ${replay}\n  last: ${trace}`,
      {
        cause: error,
      },
    );
  }
}

/** A container of the run, with its model and the keys that the run uses. */
interface Subject {
  readonly name: string;
  readonly number: number;
  readonly keys: readonly ModelKey[];
  readonly ids: readonly string[];
  model: ModelContainer;
}

interface Saved {
  readonly files: PowerCutFiles;
  readonly models: ReadonlyMap<string, ModelContainer>;
}

const database = 'db';

class ModelRun {
  readonly counts: Record<string, number> = {};
  readonly trace: string[] = [];
  readonly #random: SeededRandom;
  readonly #steps: number;
  readonly #world: World;
  readonly #segmentBytesMax: number;
  #subjects: Subject[] = [];
  #saved: Saved | undefined;
  #counter = 0;

  constructor(options: ModelRunOptions) {
    this.#random = new SeededRandom(options.seed);
    this.#steps = options.steps;
    this.#segmentBytesMax = this.#random.pick([16, 32, 64]) * 1024;
    this.#world = new World({
      seed: `${options.seed}/world`,
      segmentBytesMin: this.#random.pick([12, 16]) * 1024,
      segmentBytesMax: this.#segmentBytesMax,
      sync: this.#random.bool(0.2) ? 'os' : 'full',
    });
  }

  async run(): Promise<void> {
    await this.#world.open();
    await this.#world.engine.createDatabase(database);
    const containers = 1 + this.#random.int(3);
    for (let i = 0; i < containers; i += 1) await this.#createContainer(i);
    for (let step = 0; step < this.#steps; step += 1) {
      await this.#step();
      if (this.#random.bool(0.08)) await this.#compare(false);
    }
    await this.#settle();
    await this.#compare(true);
    await this.#checkBytes();
    await this.#reopen(this.#random.pick(['close', 'lost']));
    await this.#compare(true);
    await this.#world.close();
  }

  async #createContainer(index: number): Promise<void> {
    const random = this.#random;
    const isHierarchical = random.bool(0.3);
    const paths = isHierarchical ? ['/a', '/b'] : ['/a'];
    const defaultTtl = random.pick([undefined, undefined, -1, 20]);
    const isUnique = random.bool(0.3);
    const historyMs = random.bool(0.4) ? random.pick([60_000, 600_000]) : 0;
    const name = `c${index}`;
    const partitionKey = isHierarchical
      ? { paths, kind: 'MultiHash', version: 2 }
      : { paths, kind: 'Hash', version: random.pick([1, 2, 2]) };
    const definition = readContainerDefinition({
      id: name,
      partitionKey,
      ...(defaultTtl === undefined ? {} : { defaultTtl }),
      ...(isUnique ? { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/u'] }] } } : {}),
    });
    const ranges = random.pick([1, 1, 2, 3]);
    const info = await this.#world.engine.createContainer(database, definition, { ranges, historyMs });
    const keys = Array.from({ length: 2 + random.int(7) }, (_, i) => {
      const values = isHierarchical ? [`a${i >> 1}`, random.bool() ? i : `b${i}`] : [random.bool(0.2) ? i : `k${i}`];
      const epk = Buffer.from(effectiveKey(definition.partitionKey, values));
      return modelKey(values, Buffer.from(encodePartitionKeyBytes(values)), epk);
    });
    const ids = Array.from({ length: 2 + random.int(6) }, (_, i) =>
      random.bool(0.1) ? `${'long'.repeat(60)}${i}` : `d${i}`,
    );
    const model = new ModelContainer(
      { name, paths, defaultTtl, isUnique, historyMs },
      this.#world.engine.ranges(info.number).map((range) => ({
        id: range.id,
        min: range.min,
        max: range.max,
        tailLsn: 0,
        timeMs: 0,
        floorLsn: 0,
        hasMerged: false,
      })),
    );
    this.#subjects.push({ name, number: info.number, keys, ids, model });
  }

  async #step(): Promise<void> {
    const step = this.#random.pick(stepsByWeight);
    this.trace.push(step);
    this.counts[step] = (this.counts[step] ?? 0) + 1;
    const subject = this.#random.pick(this.#subjects);
    switch (step) {
      case 'unit':
        return this.#unit(subject);
      case 'many':
        await this.#many(subject, async () => {});
        return;
      case 'advance':
        return this.#world.clock.advance(this.#random.pick([100, 900, 3_000, 25_000, 90_000]));
      case 'jump':
        return this.#world.clock.jump(this.#random.pick([-100_000, -5_000, -500, 700, 40_000]));
      case 'split':
        return this.#split(subject);
      case 'merge':
        return this.#merge(subject);
      case 'sweep':
        return this.#sweep(subject);
      case 'purge':
        return this.#purge(subject);
      case 'purgeJob':
        return this.#purgeJob();
      case 'trim':
        return this.#trim(subject);
      case 'history':
        return this.#turnHistoryOn(subject);
      case 'compact':
        return this.#compact();
      case 'compactUnderWrites':
        await this.#many(subject, () => this.#compact());
        return;
      case 'compactUnderReads':
        return this.#compactUnderReads(subject);
      case 'settle':
        return this.#world.engine.settle();
      case 'reopen':
        return this.#reopen(this.#random.pick(['close', 'kill', 'lost', 'killLost', 'aged']));
      case 'backup':
        return this.#backUp();
      case 'restore':
        return this.#restore();
      default:
        throw new Error(`unknown step ${step}`);
    }
  }

  // Writes

  async #unit(subject: Subject): Promise<void> {
    const key = this.#random.pick(subject.keys);
    const operations = this.#operations(subject, key);
    const expectation = this.#expect(subject, key, operations);
    const result = await this.#commit(subject, key, operations);
    const before = subject.model.rangeOf(key);
    const lsn = expectation.kind === 'commit' && expectation.mutations.length > 0 ? before.tailLsn + 1 : before.tailLsn;
    agree(result.lsn === lsn, () => `${nameOf(key, '')} got LSN ${result.lsn}, should be ${lsn}`);
    this.#take(subject, key, expectation, result);
  }

  /** Units of different partition keys at once, beside something else. They get LSNs without gaps in any order. */
  async #many(subject: Subject, beside: () => Promise<void>): Promise<void> {
    const keys = this.#random.shuffle(subject.keys).slice(0, 1 + this.#random.int(5));
    const units = keys.map((key) => {
      const operations = this.#operations(subject, key);
      return { key, operations, expectation: this.#expect(subject, key, operations) };
    });
    const other = beside();
    const results = await Promise.all(units.map(({ key, operations }) => this.#commit(subject, key, operations)));
    await other;
    const done = units.map((unit, i) => ({ ...unit, result: results[i] as UnitResult }));
    done.sort((a, b) => a.result.lsn - b.result.lsn);
    for (const { key, expectation, result } of done) {
      const range = subject.model.rangeOf(key);
      if (expectation.kind === 'commit' && expectation.mutations.length > 0) {
        agree(result.lsn === range.tailLsn + 1, () => `LSN ${result.lsn} follows ${range.tailLsn} in ${range.id}`);
      }
      this.#take(subject, key, expectation, result);
    }
  }

  #operations(subject: Subject, key: ModelKey): ModelOperation[] {
    const count = this.#random.bool(0.7) ? 1 : 2 + this.#random.int(4);
    return Array.from({ length: count }, () => this.#operation(subject, key, count > 1));
  }

  #operation(subject: Subject, key: ModelKey, isBatch: boolean): ModelOperation {
    const random = this.#random;
    const id = random.pick(subject.ids);
    const stored = subject.model.find(key, id);
    const ifMatch = random.bool(0.1) ? { ifMatch: stored === undefined ? 'none' : etagOf(stored) } : {};
    const kind = random.pick(['create', 'upsert', 'upsert', 'upsert', 'replace', 'patch', 'delete', 'read'] as const);
    if (kind === 'read') return isBatch ? { kind, id } : { kind: 'delete', id };
    if (kind === 'delete') return { kind, id, ...ifMatch };
    if (kind === 'patch') return { kind, id, set: { n: this.#next(), p: random.int(3) }, ...ifMatch };
    const value = this.#value(subject, key, id);
    return kind === 'create' ? { kind, value } : { kind, value, ...ifMatch };
  }

  #value(subject: Subject, key: ModelKey, id: string): Record<string, unknown> {
    const random = this.#random;
    const names = subject.model.options.paths.map((path) => path.slice(1));
    const value: Record<string, unknown> = {
      id,
      n: this.#next(),
      pad: 'x'.repeat(random.int(random.bool(0.1) ? 6_000 : 500)),
    };
    for (const [i, name] of names.entries()) value[name] = key.values[i];
    if (random.bool(0.5)) value.u = random.int(4);
    if (random.bool(0.2)) value.ttl = random.pick([-1, 1, 5, 60]);
    return value;
  }

  #next(): number {
    this.#counter += 1;
    return this.#counter;
  }

  #expect(subject: Subject, key: ModelKey, operations: readonly ModelOperation[]): Expectation {
    return subject.model.expect(key, operations, this.#world.clock.nowMs(), etagOf);
  }

  #commit(subject: Subject, key: ModelKey, operations: readonly ModelOperation[]): Promise<UnitResult> {
    const container = this.#container(subject);
    const commands = operations.map((operation) => commandOf(container, operation));
    return container.commit({ values: key.values, bytes: key.bytes, epk: key.epk }, commands);
  }

  /** Compares what a unit came to with what the model expects, and takes it over. */
  #take(subject: Subject, key: ModelKey, expectation: Expectation, result: UnitResult): void {
    const where = `unit of ${subject.name} ${key.text}`;
    if (expectation.kind === 'reject') {
      const outcome = result.outcomes[expectation.operation];
      const code: ErrorCode | 'accepted' = outcome?.kind === 'rejected' ? outcome.code : 'accepted';
      agree(!result.isCommitted && code === expectation.code, () => `${where}: ${code}, should be ${expectation.code}`);
      return;
    }
    const { mutations } = expectation;
    const outcomes = result.outcomes
      .map((outcome) => (outcome.kind === 'rejected' ? outcome.code : outcome.kind))
      .join();
    agree(result.isCommitted === mutations.length > 0, () => `${where}: ${outcomes}, should have been committed`);
    const { model } = subject;
    const timeMs = model.timeIn(model.rangeOf(key), this.#world.clock.nowMs());
    const documents = new Map(
      result.outcomes.flatMap((outcome) =>
        outcome.kind === 'created' || outcome.kind === 'replaced' ? [[outcome.document.ix, outcome.document]] : [],
      ),
    );
    const made = new Map<ExpectedMutation, ModelVersion>();
    for (const [ix, mutation] of mutations.entries()) {
      const document = documents.get(ix);
      const isDelete = mutation.operation === 'delete';
      agree((document === undefined) === isDelete, () => `${where}: mutation ${ix} is not what it should be`);
      if (document !== undefined) {
        const text = document.bytes.toString('utf8');
        agree(contentOf(text) === canonical(mutation.value), () => `${where}: stored ${text}`);
        const { _ts, _lsn } = JSON.parse(text) as { _ts: number; _lsn: number };
        agree(_lsn === result.lsn && document.lsn === _lsn, () => `${where}: _lsn ${_lsn}, should be ${result.lsn}`);
        agree(_ts === Math.floor(timeMs / 1000), () => `${where}: _ts ${_ts}, should be ${Math.floor(timeMs / 1000)}`);
      }
      const { previous } = mutation;
      const version: ModelVersion = {
        key,
        id: mutation.id,
        operation: mutation.operation,
        isExpiry: mutation.isExpiry,
        lsn: result.lsn,
        ix,
        timeMs,
        previous: previous === undefined || 'lsn' in previous ? previous : made.get(previous),
        value: mutation.value,
        bytes: document?.bytes ?? Buffer.alloc(0),
      };
      made.set(mutation, version);
      model.commit(version);
    }
  }

  // Ranges

  async #split(subject: Subject): Promise<void> {
    const random = this.#random;
    const range = random.pick(subject.model.ranges);
    const key = random.pick(subject.keys).epkHex;
    const at = random.pick([undefined, key, `${key}00`, key.slice(0, 2), `${key.slice(0, 6)}80`]);
    const isWithin = at === undefined || (at > range.min && at < range.max);
    const container = this.#container(subject);
    try {
      const [left, right] = await container.split(range.id, at);
      agree(left !== undefined && right !== undefined, () => 'a split has two children');
      agree(isWithin && (at ?? left.max) === left.max, () => `${range.id} was split at ${left.max} instead of ${at}`);
      subject.model.split(range.id, left.max, [left.id, right.id]);
    } catch (error) {
      if (!(isDatabaseError(error) && error.code === 'bad-request' && (!isWithin || at === undefined))) throw error;
    }
  }

  async #merge(subject: Subject): Promise<void> {
    const { ranges } = subject.model;
    if (ranges.length < 2) return;
    const left = this.#random.int(ranges.length - 1);
    const [a, b] = [ranges[left], ranges[left + 1]];
    if (a === undefined || b === undefined) return;
    const child = await this.#container(subject).merge(a.id, b.id);
    subject.model.merge(a.id, child.id);
  }

  // Jobs

  async #sweep(subject: Subject): Promise<void> {
    let swept = 0;
    for (let n = -1; n !== 0; swept += n) n = await this.#world.engine.sweep(subject.number);
    const { model } = subject;
    const clockMs = this.#world.clock.nowMs();
    const over = [...model.documents.values()].filter((v) => model.isExpired(v, clockMs) && !model.isPurged(v));
    const purgedToo = [...model.documents.values()].filter((v) => model.isExpired(v, clockMs) && model.isPurged(v));
    await this.#takeDeletes(subject, [...over, ...purgedToo], swept, clockMs);
  }

  async #purge(subject: Subject): Promise<void> {
    const key = this.#random.pick(subject.keys);
    await this.#container(subject).deletePartition([...key.values]);
    subject.model.purges.set(key.text, subject.model.rangeOf(key).tailLsn);
  }

  async #purgeJob(): Promise<void> {
    let purged = 0;
    for (let n = -1; n !== 0; purged += n) n = await this.#world.engine.purge();
    let found = 0;
    for (const subject of this.#subjects) {
      const { model } = subject;
      const over = [...model.documents.values()].filter((version) => model.isPurged(version));
      const left = over.filter((version) => this.#isStored(subject, version));
      agree(
        left.length === 0,
        () => `the purge of ${subject.name} left ${left.map((v) => nameOf(v.key, v.id)).join()}`,
      );
      found += over.length;
      await this.#takeDeletes(subject, over, over.length, this.#world.clock.nowMs());
      model.purges.clear();
    }
    agree(found === purged, () => `the purge says ${purged} documents, there were ${found}`);
  }

  /** Finds out which documents a job has deleted: only such as could be, each with an LSN of its own. */
  async #takeDeletes(
    subject: Subject,
    candidates: readonly ModelVersion[],
    count: number,
    clockMs: number,
  ): Promise<void> {
    const { model } = subject;
    const gone = candidates.filter((version) => !this.#isStored(subject, version));
    agree(gone.length === count, () => `a job says ${count} deletes in ${subject.name}, there are ${gone.length}`);
    for (const range of model.ranges) {
      const own = gone.filter((version) => model.rangeOf(version.key) === range);
      const tail = this.#tails(subject).get(range.id) ?? -1;
      agree(tail === range.tailLsn + own.length, () => `range ${range.id}: tail ${tail} after ${own.length} deletes`);
      const timeMs = model.timeIn(range, clockMs);
      const lsns = await this.#lsnsOfDeletes(subject, range.id, range.tailLsn);
      let next = range.tailLsn;
      for (const version of own) {
        next += 1;
        const lsn = lsns?.get(nameOf(version.key, version.id)) ?? next;
        const isExpiry = !model.isPurged(version);
        model.commit({
          ...version,
          operation: 'delete',
          isExpiry,
          lsn,
          ix: 0,
          timeMs,
          previous: version,
          value: {},
          bytes: Buffer.alloc(0),
        });
      }
      if (lsns !== undefined) agree(lsns.size === own.length, () => `range ${range.id} shows ${lsns.size} deletes`);
    }
  }

  async #lsnsOfDeletes(subject: Subject, range: string, after: number): Promise<Map<string, number> | undefined> {
    if (subject.model.historyMs === 0) return undefined;
    const scope = { container: subject.number, range };
    const page = await this.#world.engine.feed(scope, { mode: 'all', after, itemsMax: 10_000, bytesMax: 1 << 22 });
    const items = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as {
      metadata: { lsn: number; id: string; partitionKey: Record<string, unknown> };
    }[];
    const names = subject.model.options.paths.map((path) => path.slice(1));
    return new Map(
      items.map(({ metadata }) => {
        const text = JSON.stringify(names.map((name) => metadata.partitionKey[name]));
        return [`${text}/${metadata.id}`, metadata.lsn];
      }),
    );
  }

  async #trim(subject: Subject): Promise<void> {
    const { model } = subject;
    await this.#world.engine.trim(subject.number);
    if (model.historyMs === 0) return;
    const second = Math.floor((this.#world.clock.nowMs() - model.historyMs) / 1000);
    for (const info of this.#world.engine.ranges(subject.number)) {
      const range = model.ranges.find(({ id }) => id === info.id);
      agree(range !== undefined && info.floorLsn >= range.floorLsn, () => `the floor of ${info.id} went down`);
      agree(info.floorLsn <= range.tailLsn, () => `the floor of ${info.id} is beyond its tail`);
      if (!range.hasMerged && info.floorLsn > range.floorLsn) {
        const own = model.log.filter((v) => v.key.epkHex >= range.min && v.key.epkHex < range.max);
        const young = own.find(
          (v) => v.lsn <= info.floorLsn && v.lsn > range.floorLsn && v.timeMs >= (second + 1) * 1000,
        );
        agree(
          young === undefined,
          () => `the floor ${info.floorLsn} of ${info.id} passes LSN ${young?.lsn}, still young`,
        );
      }
      range.floorLsn = info.floorLsn;
    }
  }

  async #turnHistoryOn(subject: Subject): Promise<void> {
    const { model } = subject;
    if (model.historyMs > 0) return;
    const { definition } = this.#container(subject).info;
    await this.#world.engine.replaceContainer(subject.number, definition, { historyMs: 120_000 });
    model.historyMs = 120_000;
    for (const range of model.ranges) range.floorLsn = range.tailLsn;
  }

  async #compact(): Promise<void> {
    let rounds = 0;
    await this.#world.engine.settle();
    while (await this.#world.engine.compact()) {
      rounds += 1;
      agree(rounds < compactionsMax, () => 'compaction does not come to an end');
    }
    this.counts.compactions = (this.counts.compactions ?? 0) + rounds;
  }

  /** Nothing is written meanwhile, so every page must be right, whatever compaction does to what it reads. */
  async #compactUnderReads(subject: Subject): Promise<void> {
    let isDone = false;
    const compaction = this.#compact().finally(() => {
      isDone = true;
    });
    const observed = this.#observed(subject);
    do {
      for (const range of subject.model.ranges) {
        const scope = { container: subject.number, range: range.id };
        await compareLatest(observed, scope, range, 0, range.hasMerged);
      }
      await new Promise((resolve) => setImmediate(resolve));
    } while (!isDone);
    await compaction;
  }

  // The whole database

  async #reopen(how: 'close' | 'kill' | 'lost' | 'killLost' | 'aged'): Promise<void> {
    this.trace.push(how);
    const world = this.#world;
    if (how === 'close' || how === 'lost') await world.close();
    else world.kill();
    if (how === 'lost' || how === 'killLost') world.loseIndex();
    if (how === 'aged') world.ageIndex(this.#random);
    await world.open();
    if (this.#random.bool(0.3)) await this.#compactUnderReads(this.#random.pick(this.#subjects));
  }

  async #backUp(): Promise<void> {
    const files = new PowerCutFiles();
    await backUp(this.#world.engine, this.#world.files, files);
    this.#saved = { files, models: new Map(this.#subjects.map(({ name, model }) => [name, model.copy()])) };
  }

  async #restore(): Promise<void> {
    const saved = this.#saved;
    if (saved === undefined) return;
    const files = new PowerCutFiles();
    await restore(saved.files, files);
    await this.#world.close();
    this.#world.moveTo(files);
    await this.#world.open();
    this.#subjects = this.#subjects.filter((subject) => saved.models.has(subject.name));
    for (const subject of this.#subjects) {
      subject.model = (saved.models.get(subject.name) as ModelContainer).copy();
      const tailLsn = Math.max(...subject.model.ranges.map((range) => range.tailLsn)) + restoredTailGap;
      for (const range of subject.model.ranges) range.tailLsn = tailLsn;
    }
  }

  async #settle(): Promise<void> {
    await this.#purgeJob();
    for (const subject of this.#subjects) {
      await this.#sweep(subject);
      await this.#trim(subject);
    }
    await this.#compact();
  }

  async #compare(isFull: boolean): Promise<void> {
    for (const subject of this.#subjects) await compareAll(this.#observed(subject), isFull);
    const problems = await this.#world.check();
    agree(problems.length === 0, () => `check: ${problems.slice(0, 5).join('; ')}`);
    const { health } = this.#world.engine;
    agree(health.status === 'ok', () => `health: ${health.message}`);
  }

  /** After compaction the log is at most twice what must be kept, and a few segments. */
  async #checkBytes(): Promise<void> {
    const perRecord = 200;
    let kept = 0;
    for (const { model } of this.#subjects) {
      for (const version of model.documents.values()) kept += version.bytes.length + perRecord;
      if (model.historyMs > 0) for (const version of model.log) kept += version.bytes.length + perRecord;
    }
    const { segmentBytes, segments } = this.#world.engine.figures;
    const allowed = 2 * kept + 4 * this.#segmentBytesMax + segments * 8_192;
    agree(segmentBytes <= allowed, () => `the log has ${segmentBytes} bytes, ${kept} are of use, ${allowed} allowed`);
  }

  // Small things

  #observed(subject: Subject): Observed {
    const { model, keys, ids } = subject;
    return { world: this.#world, container: this.#container(subject), model, keys, ids, random: this.#random };
  }

  #container(subject: Subject): Container {
    return this.#world.container(database, subject.name);
  }

  #tails(subject: Subject): ReadonlyMap<string, number> {
    return new Map(this.#world.engine.ranges(subject.number).map((range) => [range.id, range.tailLsn]));
  }

  /** Whether the document is physically there, expired or purged as it may be. */
  #isStored(subject: Subject, version: ModelVersion): boolean {
    const { key, id } = version;
    const indexKey = docKey(subject.number, key.epk, key.bytes, Buffer.from(id));
    return this.#world.engine.state.findVisible(indexKey) !== undefined;
  }
}
