// Metrics as Prometheus reads them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';
import { rawFetch, World } from './harness.ts';
import { adminIn, feedOf, makeIn, pk, putIn } from './raw.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({ chaos: true });
});

afterAll(() => world[Symbol.asyncDispose]());

type Samples = ReadonlyMap<string, number>;

/** Throws on whatever is not in the format. */
function parsed(text: string): Samples {
  const samples = new Map<string, number>();
  let metric = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const about = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line);
    if (about !== null) {
      metric = about[2] as string;
      continue;
    }
    const sample = /^(\w+)(\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? (\S+)$/.exec(line);
    if (sample === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels = '', value = ''] = sample;
    if (!name.startsWith(metric)) throw new Error(`${name} stands below ${metric}`);
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
    if (Number.isNaN(number)) throw new Error(`not a number: ${line}`);
    if (samples.has(name + labels)) throw new Error(`twice: ${line}`);
    samples.set(name + labels, number);
  }
  return samples;
}

async function scrape(): Promise<Samples> {
  const sign = { type: '', link: '_tidemark/metrics' };
  const answer = await rawFetch(world.url, 'GET', '/_tidemark/metrics', { sign });
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parsed(answer.text);
}

test('requests, writes, ranges and what they take are counted', async () => {
  const before = await scrape();
  const made = await makeIn(world, { throughput: 12_000 });
  for (let i = 0; i < 10; i += 1) await putIn(world, made, { id: `d${i}`, pk: `p${i}` });
  await world.fetch('GET', `${made.docs}/none`, { headers: pk('p') });
  await feedOf(world, made);
  await adminIn(world, 'POST', '/_tidemark/faults', { kind: '429', operation: 'read', count: 1 });
  await world.fetch('GET', `${made.docs}/none`, { headers: pk('p') });
  const after = await scrape();
  const grown = (name: string): number => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);

  expect(grown('tidemark_requests_total{operation="upsert",status="201"}')).toBe(10);
  expect(grown('tidemark_requests_total{operation="read",status="404"}')).toBe(1);
  expect(grown('tidemark_requests_total{operation="read",status="429"}')).toBe(1);
  expect(grown('tidemark_requests_total{operation="feed",status="200"}')).toBe(1);
  expect(grown('tidemark_request_duration_seconds_count{operation="upsert"}')).toBe(10);
  expect(grown('tidemark_request_duration_seconds_bucket{operation="upsert",le="+Inf"}')).toBe(10);
  expect(grown('tidemark_request_charge_total{operation="upsert"}')).toBeGreaterThan(10);
  expect(grown('tidemark_throttled_total')).toBe(1);
  expect(grown('tidemark_faults_injected_total')).toBe(1);
  expect(grown('tidemark_commit_units_total')).toBeGreaterThanOrEqual(10);
  expect(grown('tidemark_commit_groups_total')).toBeGreaterThan(0);
  expect(grown('tidemark_commit_bytes_total')).toBeGreaterThan(500);
  expect(grown('tidemark_flush_seconds_total')).toBeGreaterThan(0);
  expect(grown('tidemark_ranges')).toBe(2);
  expect(grown('tidemark_containers')).toBe(1);
  expect(after.get('tidemark_healthy')).toBe(1);
  expect(after.get('tidemark_defects_total')).toBe(0);
  expect(after.get('tidemark_requests_under_way')).toBe(1);
  expect(after.get('tidemark_connections')).toBeGreaterThan(0);
  expect(after.get('tidemark_index_bytes')).toBeGreaterThan(0);
  expect(after.get('tidemark_disk_free_bytes')).toBeGreaterThan(0);
  expect(after.get('tidemark_memory_bytes{kind="rss"}')).toBeGreaterThan(0);
});

test('[B1] how far waiting readers lag behind the commit that woke them', async () => {
  const made = await makeIn(world);
  const before = await scrape();
  const waiting = feedOf(world, made, { prefer: 'wait=60', 'if-none-match': '"0"' });
  while ((await scrape()).get('tidemark_feed_waiters') !== 1);
  await putIn(world, made, { id: 'x', pk: 'p' });
  await waiting;
  const after = await scrape();
  const grown = (name: string): number => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);

  {
    await using stream = await EventStream.open(world, made.docs);
    await stream.until(({ documents }) => documents.length === 1);
    while ((await scrape()).get('tidemark_feed_waiters') !== 1);
    await putIn(world, made, { id: 'y', pk: 'p' });
    await stream.until(({ documents }) => documents.length === 2);
    const open = await scrape();

    expect(open.get('tidemark_feed_streams')).toBe(1);
    expect(open.get('tidemark_feed_lag_seconds_count')).toBe(2 + (before.get('tidemark_feed_lag_seconds_count') ?? 0));
  }

  expect(grown('tidemark_feed_lag_seconds_count')).toBe(1);
  expect(grown('tidemark_feed_lag_seconds_sum')).toBeGreaterThan(0);
  expect(after.get('tidemark_feed_waiters')).toBe(0);
});

test('labels are made of nothing that a client can choose', async () => {
  for (const path of ['/dbs/secret-name', '/secret-kind/x', '/dbs/x/colls/secret-name/docs/secret-id']) {
    await world.fetch('GET', path, { headers: pk('p') });
  }
  await fetch(new URL('/dbs', world.url), { method: 'PROPFIND' }).catch(() => {});
  const names = [...(await scrape()).keys()].join('\n');

  expect(names).not.toContain('secret');
  expect(names).not.toContain('PROPFIND');
  expect(names).toContain('operation="unknown"');
});

test('two servers count each their own', async () => {
  await using other = await World.open();
  await other.fetch('GET', '/dbs');
  const sign = { type: '', link: '_tidemark/metrics' };
  const { text } = await rawFetch(other.url, 'GET', '/_tidemark/metrics', { sign });

  const samples = parsed(text);
  expect(samples.get('tidemark_requests_total{operation="list-databases",status="200"}')).toBe(1);
  expect([...samples.keys()].some((name) => name.includes('"upsert"'))).toBe(false);
});
