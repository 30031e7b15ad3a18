// The process that is killed. It opens the folder, says what it finds, and then writes, reads, splits and compacts until
// somebody ends it. Everything it says goes through `report`, before the kill can come.

import type { Container } from '@tidemark/engine';
import { Database } from '@tidemark/engine';
import { EmbeddedEngine, lmdbIndexProvider, lockFolder, nodeFiles, systemEnvironment } from '@tidemark/engine/internal';
// Not through its index, which loads a test runner that every killed process would have to load too.
import { SeededRandom } from '../../packages/testing/src/seeded-random.ts';
import { Phases, report, watchedFiles, watchedIndex } from './phases.ts';
import type { ContainerName, Orders, Seen, Touched } from './protocol.ts';
import { allKeys, containerNames, idsPerPartition, partitionCount } from './protocol.ts';

const writers = 24;
const historyMs = 24 * 3_600_000;
/** Small, so that the log rolls over every few dozen writes. */
const segments = { sync: 'full', segmentBytesMin: 16 * 1024, segmentBytesMax: 64 * 1024 } as const;

process.once('message', (orders: Orders) => {
  run(orders).catch((error: unknown) => {
    report({ kind: 'failed', message: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
    process.exit(1);
  });
});

async function run(orders: Orders): Promise<void> {
  const phases = new Phases(orders.hold);
  const database = await open(orders.folder, phases);
  await database.createDatabaseIfNotExists('d');
  const containers = {
    plain: await database.createContainerIfNotExists('d', definitionOf('plain'), { ranges: 2 }),
    kept: await database.createContainerIfNotExists('d', definitionOf('kept'), { historyMs }),
  };
  for (const name of containerNames) await tellState(name, containers[name]);
  for (const name of containerNames) await tellContinuation(name, containers[name], orders.etags[name]);
  await tellVersions(containers.kept, orders);
  if (orders.checks) report({ kind: 'checked', problems: (await database.check()).problems });
  report({ kind: 'ready' });

  const random = new SeededRandom(orders.seed);
  let op = orders.firstOp;
  const nextOp = () => op++;
  const endless: Promise<void>[] = [];
  for (let i = 0; i < writers; i += 1)
    endless.push(writeForEver(containers, random.fork(`writer ${i}`), nextOp, phases));
  for (const name of containerNames) {
    const { number } = containers[name].info;
    endless.push(tail(name, containers[name], orders.etags[name], () => moreComes(database, number)));
  }
  endless.push(splitForEver(containers, random.fork('split'), phases));
  endless.push(compactForEver(database, phases));
  await Promise.all(endless);
}

async function open(folder: string, phases: Phases): Promise<Database> {
  const environment = systemEnvironment();
  const files = watchedFiles(nodeFiles(folder), phases);
  const lock = await lockFolder(folder);
  // So few that both ways of writing a transaction are in use.
  const provider = lmdbIndexProvider(folder, files, environment, { threadChangesMin: 16 });
  const discard = async (): Promise<void> => {
    report({ kind: 'rebuilt' });
    await provider.discard();
  };
  const index = watchedIndex({ ...provider, discard }, phases);
  const engine = await EmbeddedEngine.open({ files, index, environment, segments, isRestored: false });
  return new Database(engine, { files, environment, runsMaintenance: false, release: () => lock.close() });
}

function definitionOf(id: ContainerName): object {
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 };
  // Every document is its own unique value: nothing is refused, and `check` proves that the unique index is complete.
  return { id, partitionKey, uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/unique'] }] } };
}

/** Resolves when something is committed to the container: polling would take the time that the writers need. */
function moreComes(database: Database, container: number): Promise<void> {
  const { engine } = database;
  return new Promise((resolve) => {
    const stop = engine.watch(container, {}, () => {
      stop();
      resolve();
    });
  });
}

interface Stored {
  readonly id: string;
  readonly pk: string;
  readonly op: number;
  readonly _lsn: number;
}

async function tellState(container: ContainerName, opened: Container): Promise<void> {
  const state: Seen[] = [];
  const feed = opened.changes({ itemsMax: 1_000 });
  for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
    state.push(...itemsOf<Stored>(page.pieces).map(seenOf));
  }
  const keys = allKeys();
  const found = await opened.readMany<Stored>(keys.map((key) => [idOf(key), partitionOf(key)] as const));
  const points: Seen[] = [];
  for (const [i, document] of found.entries()) {
    if (document !== undefined) points.push({ key: keys[i] as string, op: document.value.op, lsn: document.lsn });
  }
  const listed: Seen[] = [];
  for (const { id } of opened.ranges) {
    let continuation: number | undefined;
    do {
      const page = await opened.readPage<Stored>(id, {
        itemsMax: 50,
        ...(continuation === undefined ? {} : { continuation }),
      });
      for (const { value, lsn } of page.documents) listed.push({ key: `${value.pk}/${value.id}`, op: value.op, lsn });
      continuation = page.continuation;
    } while (continuation !== undefined);
  }
  const ranges = opened.ranges.map(({ id, tailLsn }) => ({ id, tail: tailLsn }));
  report({ kind: 'opened', container, ranges, state, points, listed });
}

async function tellContinuation(container: ContainerName, opened: Container, etag: string | undefined): Promise<void> {
  const feed = opened.changes(etag === undefined ? {} : { from: { etag } });
  const changes: Seen[] = [];
  let page = await feed.page();
  for (; !page.isDrained; page = await feed.page()) changes.push(...itemsOf<Stored>(page.pieces).map(seenOf));
  report({ kind: 'continued', container, changes, etag: page.etag });
}

interface VersionItem {
  readonly current: Partial<Stored>;
  readonly metadata: {
    readonly lsn: number;
    readonly operationType: string;
    readonly id?: string;
    readonly partitionKey?: { readonly pk: string };
  };
}

async function tellVersions(kept: Container, orders: Orders): Promise<void> {
  const isWhole = orders.readsAllVersions || orders.versionsEtag === undefined;
  const feed = kept.versions(isWhole ? {} : { from: { etag: orders.versionsEtag as string } });
  const changes: Seen[] = [];
  let page = await feed.page();
  for (; !page.isDrained; page = await feed.page()) {
    for (const { current, metadata } of itemsOf<VersionItem>(page.pieces)) {
      const key =
        current.id === undefined ? `${metadata.partitionKey?.pk}/${metadata.id}` : `${current.pk}/${current.id}`;
      changes.push({ key, op: current.op, lsn: metadata.lsn });
    }
  }
  report({ kind: 'versions', isWhole, changes, etag: page.etag });
}

/** The tail reader of one container: it goes on from where the one before it was. */
async function tail(
  container: ContainerName,
  opened: Container,
  etag: string | undefined,
  moreComes: () => Promise<void>,
): Promise<void> {
  const feed = opened.changes(etag === undefined ? {} : { from: { etag } });
  for (;;) {
    const page = await feed.page();
    if (page.count > 0)
      report({ kind: 'seen', container, changes: itemsOf<Stored>(page.pieces).map(seenOf), etag: page.etag });
    else await moreComes();
  }
}

async function writeForEver(
  containers: Readonly<Record<ContainerName, Container>>,
  random: SeededRandom,
  nextOp: () => number,
  phases: Phases,
): Promise<void> {
  for (;;) {
    const op = nextOp();
    const container: ContainerName = random.bool(0.75) ? 'plain' : 'kept';
    const partition = `p${random.int(partitionCount)}`;
    const touched = chooseTouched(partition, random);
    const opened = containers[container];
    report({ kind: 'begin', op, container, touched });
    const operations = touched.map(({ key, isDelete }) =>
      isDelete ? { delete: idOf(key) } : { upsert: aDocument(key, op, random) },
    );
    const result = await opened.commit(
      opened.partitionKey(partition),
      operations.map((operation) =>
        'delete' in operation
          ? ({ kind: 'delete', id: operation.delete } as const)
          : ({ kind: 'upsert', document: opened.readClient(operation.upsert) } as const),
      ),
    );
    if (result.isCommitted) {
      phases.acks += 1;
      report({ kind: 'done', op, range: result.range, lsn: result.lsn });
    } else report({ kind: 'refused', op });
  }
}

/** A single upsert, a single delete, or a batch of both with at least one upsert. */
function chooseTouched(partition: string, random: SeededRandom): Touched[] {
  const ids = random.shuffle(Array.from({ length: idsPerPartition }, (_, i) => `${partition}/d${i}`));
  const kind = random.int(10);
  if (kind < 6) return [{ key: ids[0] as string, isDelete: false }];
  if (kind < 8) return [{ key: ids[0] as string, isDelete: true }];
  const keys = ids.slice(0, 2 + random.int(idsPerPartition - 2));
  return keys.map((key, i) => ({ key, isDelete: i > 0 && random.bool(0.2) }));
}

function aDocument(key: string, op: number, random: SeededRandom): object {
  const text = 'x'.repeat(20 + random.int(600));
  return { id: idOf(key), pk: partitionOf(key), op, unique: key, text };
}

async function splitForEver(
  containers: Readonly<Record<ContainerName, Container>>,
  random: SeededRandom,
  phases: Phases,
): Promise<void> {
  for (;;) {
    const container = containers[random.pick(containerNames)];
    const { ranges } = container;
    if (ranges.length < 4) {
      await phases.during('split', () => container.split(random.pick(ranges).id));
    } else {
      const left = random.int(ranges.length - 1);
      await container.merge(ranges[left]?.id as string, ranges[left + 1]?.id as string);
    }
    for (let turn = 0; turn < 40; turn += 1) await nextTurn();
  }
}

async function compactForEver(database: Database, phases: Phases): Promise<void> {
  for (;;) {
    await database.engine.compact();
    phases.end('compaction');
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }
}

function itemsOf<T>(pieces: readonly Buffer[]): T[] {
  return JSON.parse(`[${Buffer.concat(pieces).toString('utf8')}]`) as T[]; // Written by this very program.
}

function seenOf(stored: Stored): Seen {
  return { key: `${stored.pk}/${stored.id}`, op: stored.op, lsn: stored._lsn };
}

function partitionOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

function idOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
