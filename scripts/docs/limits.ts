// The limits of every package: the number from the module, the reason from the comment above it.

import { readFileSync } from 'node:fs';
import * as cli from '../../packages/cli/src/limits.ts';
import * as client from '../../packages/client/src/limits.ts';
import * as engine from '../../packages/engine/src/limits.ts';
import * as model from '../../packages/model/src/limits.ts';
import * as processor from '../../packages/processor/src/limits.ts';
import * as query from '../../packages/query/src/limits.ts';
import * as server from '../../packages/server/src/limits.ts';
import { code, table } from './table.ts';

interface LimitsOfPackage {
  readonly name: string;
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const ofQuery: LimitsOfPackage = { name: 'query', title: 'Of the language of queries', values: { ...query } };

const packages: readonly LimitsOfPackage[] = [
  { name: 'model', title: 'Of the service', values: { ...model } },
  ofQuery,
  { name: 'engine', title: 'Of the engine', values: { ...engine } },
  { name: 'server', title: 'Of the server', values: { ...server } },
  { name: 'client', title: 'Of the HTTP client', values: { ...client } },
  { name: 'processor', title: 'Of the processor', values: { ...processor } },
  { name: 'cli', title: 'Of the command line', values: { ...cli } },
];

export function limitsPart(): string {
  const parts = packages.map((each) => {
    const path = pathOf(each);
    return `## ${each.title}\n\n[${path}](../../${path})\n\n${tableOf(each)}`;
  });
  return parts.join('\n\n');
}

/** For the page about the language. */
export function queryLimitsPart(): string {
  return tableOf(ofQuery);
}

function tableOf(limitsOfPackage: LimitsOfPackage): string {
  const { values } = limitsOfPackage;
  const path = pathOf(limitsOfPackage);
  const reasons = reasonsOf(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
  const rows = groupsOf(reasons, Object.keys(values), path).map(({ limits, reason }) => [
    limits.map(code).join('<br>'),
    limits.map((limit) => amount(limit, Number(values[limit]))).join('<br>'),
    reason,
  ]);
  return table(['limit', 'value', 'what and why'], rows);
}

function pathOf({ name }: LimitsOfPackage): string {
  return `packages/${name}/src/limits.ts`;
}

/** Name → what the comment above it says. Constants without a line between them share one. */
export function reasonsOf(source: string): Map<string, string> {
  const reasons = new Map<string, string>();
  let reason = '';
  for (const part of source.matchAll(/\/\*\*([\s\S]*?)\*\/|^export const (\w+)|^$/gm)) {
    const [, comment, name] = part;
    if (comment !== undefined) reason = plain(comment);
    else if (name !== undefined) reasons.set(name, reason);
    else reason = '';
  }
  return reasons;
}

/** Where a fact was found is for who changes it, not for who reads about it. */
function plain(comment: string): string {
  const text = comment.replace(/\s*\n\s*\* ?/g, ' ').trim();
  const fact = text.replace(/^(?:Wire [\d.]+|Service documentation|Service limit): /, '');
  return `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`;
}

/** A number with the unit that its name says. */
export function amount(name: string, value: number): string {
  if (/Bytes/.test(name))
    return inUnits(
      value,
      [
        ['GiB', 1024 ** 3],
        ['MiB', 1024 ** 2],
        ['KiB', 1024],
      ],
      'bytes',
    );
  if (/Ms(Max|Min)?$/.test(name))
    return inUnits(
      value,
      [
        ['min', 60_000],
        ['s', 1_000],
      ],
      'ms',
    );
  if (/Seconds/.test(name)) return `${grouped(value)} s`;
  if (/Days$/.test(name)) return `${grouped(value)} days`;
  if (/Share$/.test(name)) return `${value * 100} %`;
  return grouped(value);
}

function inUnits(value: number, units: readonly (readonly [string, number])[], least: string): string {
  const [unit, size] = units.find(([, each]) => value >= each && value % each === 0) ?? [least, 1];
  return `${grouped(value / size)} ${unit}`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** In the order of the file; neighbours that share a comment share a row. */
function groupsOf(
  reasons: ReadonlyMap<string, string>,
  exported: readonly string[],
  path: string,
): { readonly limits: string[]; readonly reason: string }[] {
  const groups: { limits: string[]; reason: string }[] = [];
  for (const [limit, reason] of reasons) {
    const last = groups.at(-1);
    if (reason === '') throw new Error(`${path}: ${limit} has no comment that says what it is for`);
    if (last?.reason === reason) last.limits.push(limit);
    else groups.push({ limits: [limit], reason });
  }
  const unread = exported.filter((limit) => !reasons.has(limit));
  if (unread.length > 0) throw new Error(`${path}: ${unread.join(', ')} could not be read`);
  return groups;
}
