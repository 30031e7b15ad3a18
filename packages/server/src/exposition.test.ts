import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Exposition } from './exposition.ts';
import { durationBuckets, metricDefinitions } from './metric-definitions.ts';
import { RequestTally } from './request-tally.ts';

test('samples stand below the two lines about their metric, with their labels', () => {
  const exposition = new Exposition();
  exposition.add('tidemark_requests_total', 3, 'read', '200');
  exposition.add('tidemark_requests_total', 1, 'a"b\\c\nd', '404');
  exposition.add('tidemark_connections', 2);

  expect(exposition.text).toBe(
    [
      '# HELP tidemark_requests_total Requests that were answered.',
      '# TYPE tidemark_requests_total counter',
      'tidemark_requests_total{operation="read",status="200"} 3',
      'tidemark_requests_total{operation="a\\"b\\\\c\\nd",status="404"} 1',
      '# HELP tidemark_connections Open connections of clients.',
      '# TYPE tidemark_connections gauge',
      'tidemark_connections 2',
      '',
    ].join('\n'),
  );
});

test('the buckets of a histogram add up', () => {
  const tally = new RequestTally();
  for (const ms of [0.1, 0.5, 0.6, 1_000_000]) tally.record('read', 200, 1.5, ms);
  tally.record('read', 429, 0, 0);
  const exposition = new Exposition();
  tally.expose(exposition);
  const lines = exposition.text.split('\n');
  const bucket = (le: string) => `tidemark_request_duration_seconds_bucket{operation="read",le="${le}"}`;

  expect(lines).toContain(`${bucket('0.0005')} 3`);
  expect(lines).toContain(`${bucket('0.001')} 4`);
  expect(lines).toContain(`${bucket('60')} 4`);
  expect(lines).toContain(`${bucket('+Inf')} 5`);
  expect(lines).toContain('tidemark_request_duration_seconds_count{operation="read"} 5');
  expect(lines).toContain('tidemark_request_charge_total{operation="read"} 6');
  expect(lines).toContain('tidemark_throttled_total 1');
  expect(lines.filter((line) => line.startsWith('tidemark_request_duration_seconds_bucket'))).toHaveLength(
    durationBuckets.length + 1,
  );
});

test('a metric that is not in the table is a mistake', () => {
  expect(() => new Exposition().add('tidemark_other', 1)).toThrow('tidemark_other');
  expect(() => new Exposition().add('tidemark_connections', 1, 'x')).toThrow('labels');
});

test('docs/reference/metrics.md has every metric and no other', () => {
  const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(tidemark_\w+)` \| (\w+) \| (.*?) \| (.*?) \|$/gm)];
  const documented = rows.map(([, name, type, labels, help]) => ({ name, type, labels, help }));
  const code = (label: string): string => `\`${label}\``;

  expect(documented).toEqual(
    metricDefinitions.map(({ name, type, labels, help }) => ({
      name,
      type,
      labels: labels.map(code).join(', '),
      help,
    })),
  );
});
