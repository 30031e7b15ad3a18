import { expect, test } from 'vitest';
import { makeHolder } from '../lease/holder.ts';
import type { Lease } from '../lease/lease.ts';
import { Sightings } from '../lease/sightings.ts';
import type { CommonOptions } from '../options.ts';
import { settingsOf } from '../options.ts';
import type { StoredDocument } from '../store/document-store.ts';
import { balanceEvenly } from './balance.ts';
import type { HostBeat } from './heartbeat.ts';
import { readBeat } from './heartbeat.ts';
import type { Plan } from './plan.ts';
import { makePlan } from './plan.ts';
import { hostRules } from './rules.ts';

const { lease: settings } = settingsOf({ name: 'g' } as CommonOptions, 'me');

function stored(id: string, body: Record<string, unknown> = {}): StoredDocument {
  return { id, key: id, etag: '"1"', body: { id, ...body } };
}

interface Around {
  readonly owner?: string;
  readonly beats: readonly HostBeat[];
  readonly settings?: typeof settings;
  /** For how long this host has wanted the range. */
  readonly wantedForMs?: number;
  readonly balance?: Parameters<typeof makePlan>[0]['balance'];
}

/** What the host `me` does about one range. */
function planOf({ owner, beats, settings: given = settings, wantedForMs, balance = balanceEvenly }: Around): Plan {
  const mark = owner === undefined ? undefined : { epoch: 1, instance: owner, nonce: owner, writeId: '1' };
  const lease: Lease = {
    id: 'lease 0',
    token: '0',
    kind: 'physical',
    keys: { min: '', max: 'FF' },
    owner,
    position: undefined,
    mode: 'latest',
    timestamp: undefined,
    mark,
    properties: {},
    isTombstone: false,
    stored: stored('lease 0'),
  };
  const sightings = new Sightings();
  // Its owner has written it since.
  sightings.look([{ ...lease.stored, etag: '"0"' }], { sentMs: -2, doneMs: -1, gapMsMax: 1 });
  sightings.look([lease.stored, ...beats.map((beat) => beat.stored)], { sentMs: 0, doneMs: 0, gapMsMax: 1 });
  return makePlan({
    group: {
      leases: [lease],
      tombstones: [],
      duplicates: [],
      beats,
      positions: [],
      epochLeft: () => -1,
      start: undefined,
      control: { isPaused: false, reason: undefined, turn: 0, stored: undefined },
      hasMarker: true,
    },
    holder: makeHolder('me', 'nonce'),
    settings: given,
    rules: hostRules,
    balance,
    sightings,
    nowMs: 0,
    wallMs: 0,
    running: new Set(),
    endingKeys: [],
    avoided: new Set(),
    heldEpoch: () => 0,
    beatSentAtMs: () => undefined,
    wantedSinceMs: () => (wantedForMs === undefined ? undefined : -wantedForMs),
  });
}

function beatOf(instance: string, seconds: number): HostBeat {
  return readBeat(stored(`host ${instance}`, { instance, nonce: instance, _ts: seconds })) as HostBeat; // It has what a beat needs.
}

/** One range that nobody has, and hosts whose last beats are so old. Which of many gets it is chance, so this one hardly would. */
function planBeside(ageSeconds: number): Plan {
  const nowSeconds = 1_000_000;
  const others = Array.from({ length: 50 }, (_, n) => beatOf(`a${n}`, nowSeconds - ageSeconds));
  return planOf({ beats: [...others, beatOf('me', nowSeconds)] });
}

/** The range is another's, who lives, and should be this host's. */
function planAgainst(wantedForMs: number, handoffMs: number): Plan {
  const beats = [beatOf('you', 1_000_000), beatOf('me', 1_000_000)];
  const balance = (): ReadonlyMap<string, string> => new Map([['lease 0', 'me']]);
  return planOf({ owner: 'you', beats, settings: { ...settings, handoffMs }, wantedForMs, balance });
}

test('hosts that died long ago, by the stamps of the server, get no share: a free range is taken at the first look', () => {
  expect(planBeside(119).take).toEqual([]);
  expect(planBeside(120).take).toMatchObject([{ from: 'free', lease: { token: '0' } }]);
});

test('where the store does not stamp, hosts count until they have been silent for long enough', () => {
  expect(planBeside(Number.NaN).hosts).toHaveLength(51);
});

test.each([
  ['waits until the owner must have stopped', 15_000, settings.expirationMs],
  ['does not wait where hosts rob at once', 0, 0],
])('[I4] a host that robs one that lives and does not let go %s', (_, handoffMs, waitMs) => {
  expect(planAgainst(2 * (handoffMs + settings.acquireMs) - 1, handoffMs).take).toMatchObject(
    handoffMs === 0 ? [{ from: 'stolen', waitMs }] : [],
  );
  expect(planAgainst(2 * (handoffMs + settings.acquireMs), handoffMs).take).toMatchObject([{ from: 'stolen', waitMs }]);
});
