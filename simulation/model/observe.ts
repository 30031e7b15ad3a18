// What the engine shows, read through the same doors as everybody uses, and compared with the reference model.

import type { Container, FeedScope } from '@tidemark/engine/internal';
import type { KeyRange } from '@tidemark/model';
import { compareJson, isDatabaseError } from '@tidemark/model';
import type { SeededRandom } from '@tidemark/testing';
import type { ModelContainer, ModelKey, ModelRange, ModelVersion } from './reference.ts';
import { nameOf } from './reference.ts';
import type { World } from './world.ts';

export class Disagreement extends Error {}

export function agree(isTrue: boolean, what: () => string): asserts isTrue {
  if (!isTrue) throw new Disagreement(what());
}

export interface Observed {
  readonly world: World;
  readonly container: Container;
  readonly model: ModelContainer;
  readonly keys: readonly ModelKey[];
  readonly ids: readonly string[];
  readonly random: SeededRandom;
}

/** Everything that can be read. `isFull` reads the feeds from every LSN; otherwise from a few. */
export async function compareAll(observed: Observed, isFull: boolean): Promise<void> {
  compareRanges(observed);
  await comparePoints(observed);
  await compareScan(observed);
  await compareQueries(observed);
  for (const range of observed.model.ranges) await compareRangeFeeds(observed, range, isFull);
  await compareSubRanges(observed);
  await comparePartitions(observed);
  await compareWhole(observed);
}

function compareRanges({ world, container, model }: Observed): void {
  const shape = (range: { id: string; min: string; max: string; tailLsn: number; floorLsn: number }) =>
    `${range.id} [${range.min}, ${range.max}) tail ${range.tailLsn} floor ${range.floorLsn}`;
  const actual = world.engine.ranges(container.info.number).map(shape).join('\n');
  const expected = model.ranges.map(shape).join('\n');
  agree(actual === expected, () => `ranges of ${model.options.name}:\n${actual}\nshould be\n${expected}`);
}

async function comparePoints({ world, container, model, keys, ids }: Observed): Promise<void> {
  const clockMs = world.clock.nowMs();
  for (const key of keys) {
    for (const id of ids) {
      const version = model.find(key, id);
      const expected = version !== undefined && model.isVisible(version, clockMs) ? version : undefined;
      const found = await world.engine.get(container.info.number, { partitionKey: key.bytes, epk: key.epk, id });
      const name = `${model.options.name} ${nameOf(key, id)}`;
      agree(found?.lsn === expected?.lsn, () => `read of ${name}: LSN ${found?.lsn}, should be ${expected?.lsn}`);
      if (found === undefined || expected === undefined) continue;
      agree(found.bytes.equals(expected.bytes), () => `read of ${name}: ${found.bytes}, should be ${expected.bytes}`);
      const body = JSON.parse(found.bytes.toString('utf8')) as { _etag: string; _rid: string };
      agree(body._etag === `"${found.etag}"`, () => `read of ${name}: etag ${found.etag}, the body says ${body._etag}`);
      const byRid = await container.readByRid(body._rid);
      agree(byRid?.lsn === expected.lsn, () => `read of ${name} by rid ${body._rid}: LSN ${byRid?.lsn}`);
    }
  }
}

async function compareScan({ world, container, model, random }: Observed): Promise<void> {
  const clockMs = world.clock.nowMs();
  for (const range of model.ranges) {
    const found: string[] = [];
    let from: number | undefined;
    do {
      const itemsMax = 1 + random.int(20);
      const page = await world.engine.scan(container.info.number, range.id, { from, itemsMax, bytesMax: 1 << 20 });
      for (const document of page.documents) found.push(document.bytes.toString('utf8'));
      from = page.continuation;
    } while (from !== undefined);
    const expected = model.latestAfter(range, -1, clockMs).map((version) => version.bytes.toString('utf8'));
    const difference = differenceOf(found, expected);
    agree(difference === undefined, () => `scan of ${model.options.name} range ${range.id}: ${difference}`);
  }
}

/** Page after page, each from the continuation of the one before, over all ranges; and what needs all documents. */
async function compareQueries({ world, container, model, random }: Observed): Promise<void> {
  const expected = model.latestAfter({ min: '', max: 'FF' }, -1, world.clock.nowMs()).map(({ bytes }) => {
    const { _lsn, ...shown } = JSON.parse(bytes.toString('utf8')) as { _lsn: number; _rid: string };
    return shown;
  });
  const name = model.options.name;
  const found = await pagesOf(container, 'SELECT * FROM c', random);
  const difference = differenceOf(
    found.map((row) => JSON.stringify(row)),
    expected.map((row) => JSON.stringify(row)),
  );
  agree(difference === undefined, () => `query of ${name}: ${difference}`);
  const [count] = await container.query('SELECT VALUE COUNT(1) FROM c').toArray();
  agree(count === expected.length, () => `count of ${name}: ${count}, should be ${expected.length}`);
  const sorted = await pagesOf(container, 'SELECT VALUE c.id FROM c ORDER BY c.id', random);
  const ids = expected.map((row) => (row as unknown as { id: string }).id).sort((a, b) => compareJson(a, b));
  agree(JSON.stringify(sorted) === JSON.stringify(ids), () => `ids of ${name}: ${sorted}, should be ${ids}`);
}

async function pagesOf(container: Container, text: string, random: SeededRandom): Promise<unknown[]> {
  const found: unknown[] = [];
  let continuation: string | undefined;
  do {
    const options = { itemsMax: 1 + random.int(20), ...(continuation === undefined ? {} : { continuation }) };
    const { value } = await container.query(text, {}, options).pages().next();
    agree(value !== undefined, () => `a page of ${text} is missing`);
    found.push(...value.items);
    ({ continuation } = value);
  } while (continuation !== undefined);
  return found;
}

async function compareRangeFeeds(observed: Observed, range: ModelRange, isFull: boolean): Promise<void> {
  const { model, random, container, world } = observed;
  const scope = { container: container.info.number, range: range.id };
  const starts = new Set([0, range.tailLsn, range.floorLsn]);
  const known = model.log.filter((version) => version.key.epkHex >= range.min && version.key.epkHex < range.max);
  const lsns = [...new Set(known.flatMap((version) => [version.lsn, version.lsn - 1]))];
  for (const lsn of isFull ? lsns : random.shuffle(lsns).slice(0, 3)) starts.add(lsn);
  for (const after of starts) {
    await compareLatest(observed, scope, range, after, range.hasMerged);
    if (model.historyMs > 0 && after >= range.floorLsn) await compareVersions(observed, scope, range, after);
  }
  // After a merge whoever comes from the side that was trimmed less may still read.
  if (model.historyMs > 0 && range.floorLsn > 0 && !range.hasMerged)
    await comparePassed(observed, scope, range.floorLsn - 1);
  for (const { timeMs } of isFull ? known : random.shuffle(known).slice(0, 3)) {
    const after = world.engine.lsnAt(container.info.number, range.id, timeMs);
    compareTime(observed, range, timeMs, after);
  }
}

/** A start at a time misses nothing that came after its second, and where LSNs are one sequence shows nothing older. */
function compareTime({ model }: Observed, range: ModelRange, timeMs: number, after: number): void {
  const second = Math.floor(timeMs / 1000);
  const own = model.log.filter((version) => version.key.epkHex >= range.min && version.key.epkHex < range.max);
  // What is superseded and below the floor may be gone, with its place in time.
  const counts = (version: ModelVersion) =>
    model.find(version.key, version.id) === version || (model.historyMs > 0 && version.lsn > range.floorLsn);
  const missed = own.find((v) => Math.floor(v.timeMs / 1000) > second && v.lsn <= after && counts(v));
  const where = `${model.options.name} range ${range.id} after second ${second}: LSN ${after}`;
  agree(missed === undefined, () => `${where} misses LSN ${missed?.lsn}`);
  if (range.hasMerged) return;
  const old = own.find((v) => Math.floor(v.timeMs / 1000) <= second && v.lsn > after && counts(v));
  agree(old === undefined, () => `${where} repeats LSN ${old?.lsn}`);
}

async function compareSubRanges(observed: Observed): Promise<void> {
  const { model, keys, random, container } = observed;
  for (let i = 0; i < 3; i += 1) {
    const range = random.pick(model.ranges);
    const bounds = random
      .shuffle([range.min, range.max, ...keys.map((key) => key.epkHex)])
      .slice(0, 2)
      .sort();
    const wanted = { min: bounds[0] as string, max: bounds[1] as string };
    if (wanted.min === wanted.max || wanted.max <= range.min || wanted.min >= range.max) continue;
    const keysOf = {
      min: wanted.min > range.min ? wanted.min : range.min,
      max: wanted.max < range.max ? wanted.max : range.max,
    };
    const scope = { container: container.info.number, range: range.id, keys: wanted };
    const after = random.int(range.tailLsn + 1);
    await compareLatest(observed, scope, keysOf, after, range.hasMerged);
    if (model.historyMs > 0 && after >= range.floorLsn) await compareVersions(observed, scope, keysOf, after);
  }
}

async function comparePartitions(observed: Observed): Promise<void> {
  const { model, keys, random, container } = observed;
  for (const key of keys) {
    const range = model.rangeOf(key);
    const partitionKey = { bytes: key.bytes, epk: key.epk };
    const scope = { container: container.info.number, range: range.id, partitionKey };
    const only = { min: key.epkHex, max: `${key.epkHex}00` };
    const after = random.bool() ? 0 : random.int(range.tailLsn + 1);
    await compareLatest(observed, scope, only, after, false);
    if (model.historyMs > 0 && after >= range.floorLsn) await compareVersions(observed, scope, only, after);
  }
}

/** The whole container through the embedder's feed, from the beginning and from now. */
async function compareWhole({ world, container, model, random }: Observed): Promise<void> {
  const clockMs = world.clock.nowMs();
  const found: string[] = [];
  const feed = container.changes({ itemsMax: 1 + random.int(30) });
  for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
    const values = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as object[];
    found.push(...values.map((value) => JSON.stringify(value)));
  }
  const all = model.latestAfter({ min: '', max: 'FF' }, -1, clockMs);
  const difference = differenceOf(
    found,
    all.map((version) => JSON.stringify(JSON.parse(version.bytes.toString('utf8')))),
  );
  agree(difference === undefined, () => `feed of all of ${model.options.name}: ${difference}`);
  const now = await container.changes({ from: 'now' }).page();
  agree(now.isDrained && now.count === 0, () => `feed of ${model.options.name} from now shows something`);
}

export async function compareLatest(
  observed: Observed,
  scope: FeedScope,
  keys: KeyRange,
  after: number,
  isMerged: boolean,
): Promise<void> {
  const { world, model } = observed;
  const found = await readFeed(observed, scope, 'latest', after);
  const expected = model.latestAfter(keys, after, world.clock.nowMs());
  const where = `latest feed of ${model.options.name} ${nameOfScope(scope)} after ${after}`;
  const wanted = expected.map((version) => version.bytes.toString('utf8'));
  if (isMerged) {
    const difference = differenceOf(found, wanted);
    agree(difference === undefined, () => `${where}: ${difference}`);
    return;
  }
  for (let i = 0; i < Math.max(found.length, wanted.length); i += 1) {
    agree(found[i] === wanted[i], () => `${where}: item ${i} is ${short(found[i])}, should be ${short(wanted[i])}`);
  }
}

async function compareVersions(observed: Observed, scope: FeedScope, keys: KeyRange, after: number): Promise<void> {
  const { model } = observed;
  const found = (await readFeed(observed, scope, 'all', after)).map((text) => canonical(JSON.parse(text)));
  const expected = model.versionsAfter(keys, after).map((version) => canonical(envelopeOf(model, version)));
  const difference = differenceOf(found, expected);
  agree(
    difference === undefined,
    () => `all versions of ${model.options.name} ${nameOfScope(scope)} after ${after}: ${difference}`,
  );
}

async function comparePassed(observed: Observed, scope: FeedScope, after: number): Promise<void> {
  let code = 'nothing';
  try {
    await readFeed(observed, scope, 'all', after);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    code = error.code;
  }
  agree(code === 'retention-passed', () => `history of ${nameOfScope(scope)} after ${after}, below its floor: ${code}`);
}

function envelopeOf(model: ModelContainer, version: ModelVersion): unknown {
  const { previous, operation, lsn, timeMs, isExpiry } = version;
  const metadata: Record<string, unknown> = { lsn, crts: Math.floor(timeMs / 1000), operationType: operation };
  if (previous !== undefined) metadata.previousImageLSN = previous.lsn;
  if (operation === 'delete') {
    if (isExpiry) metadata.timeToLiveExpired = true;
    metadata.id = version.id;
    const names = model.options.paths.map((path) => path.slice(1));
    metadata.partitionKey = Object.fromEntries(names.map((name, i) => [name, version.key.values[i]]));
  }
  const current = operation === 'delete' ? {} : shownOf(version);
  if (previous === undefined) return { current, metadata };
  return { current, previous: shownOf(previous), metadata };
}

/** In an envelope a document is without its LSN. */
function shownOf({ bytes }: ModelVersion): unknown {
  const { _lsn, ...shown } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  return shown;
}

/**
 * Reads to the end in pages of random size, and checks what holds for every page. The items are JSON texts. Every other page of latest
 * versions comes in envelopes.
 */
async function readFeed(
  { world, random }: Observed,
  scope: FeedScope,
  mode: 'latest' | 'all',
  start: number,
): Promise<string[]> {
  const items: string[] = [];
  let after = start;
  let shownLsn = start;
  let isWrapped = start % 2 === 0;
  for (;;) {
    const itemsMax = random.bool(0.3) ? 1 + random.int(3) : 1_000;
    isWrapped = mode === 'latest' && !isWrapped;
    const request = { mode, after, itemsMax, bytesMax: 1 << 20, previousImages: true, isWrapped };
    const page = await world.engine.feed(scope, request);
    const shown = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as FeedItem[];
    const values = isWrapped ? shown.map(unwrapped) : shown;
    agree(values.length === page.count, () => `a page says ${page.count} items and has ${values.length}`);
    agree(page.last >= after, () => `a page after ${after} goes back to ${page.last}`);
    let lastLsn = shownLsn;
    for (const [i, value] of values.entries()) {
      const lsn = value._lsn ?? value.metadata?.lsn ?? -1;
      agree(i === 0 ? lsn > shownLsn : lsn >= lastLsn, () => `LSN ${lsn} follows ${lastLsn} (page after ${after})`);
      lastLsn = lsn;
      items.push(JSON.stringify(value));
    }
    agree(page.last >= lastLsn, () => `a page shows LSN ${lastLsn} and continues after ${page.last}`);
    shownLsn = lastLsn;
    after = page.last;
    if (page.isDrained) return items;
  }
}

interface FeedItem {
  readonly _lsn?: number;
  readonly metadata?: { readonly lsn: number; readonly crts?: number };
  readonly current?: { readonly _ts?: number; readonly _lsn?: number };
}

/** The document as it comes without an envelope, whose figures have to be the document's. */
function unwrapped({ current, metadata, ...others }: FeedItem): FeedItem {
  const isRight = metadata?.crts === current?._ts && current?._lsn === undefined && Object.keys(others).length === 0;
  agree(isRight, () => `the envelope of ${JSON.stringify(current)} has ${JSON.stringify(metadata)}`);
  return { ...current, _lsn: metadata?.lsn ?? -1 };
}

/** What is in only one of two lists, whatever their order; undefined when they have the same. */
function differenceOf(found: readonly string[], expected: readonly string[]): string | undefined {
  const left = [...found].sort();
  const right = [...expected].sort();
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [a, b] = [left[i], right[i]];
    if (a === b) continue;
    const sizes = `${found.length} items, should be ${expected.length}`;
    if (b === undefined || (a !== undefined && a < b)) return `${sizes}; ${short(a)} should not be there`;
    return `${sizes}; ${short(b)} is missing`;
  }
  return undefined;
}

export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

function short(text: string | undefined): string {
  const cut = text?.replace(/"pad":"[^"]*"/g, '"pad":"…"');
  return cut === undefined || cut.length <= 400 ? String(cut) : `${cut.slice(0, 400)}…`;
}

function nameOfScope(scope: FeedScope): string {
  if (scope.partitionKey !== undefined)
    return `range ${scope.range} partition ${scope.partitionKey.epk.toString('hex')}`;
  if (scope.keys !== undefined) return `range ${scope.range} keys [${scope.keys.min}, ${scope.keys.max})`;
  return `range ${scope.range}`;
}
