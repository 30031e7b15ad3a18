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

/** One range that nobody has, and hosts whose last beats are so old. Which of many gets it is chance, so this one hardly would. */
function planBeside(ageSeconds: number): Plan {
  const beatOf = (instance: string, seconds: number): HostBeat =>
    readBeat(stored(`host ${instance}`, { instance, nonce: instance, _ts: seconds })) as HostBeat; // It has what a beat needs.
  const lease: Lease = {
    id: 'lease 0',
    token: '0',
    kind: 'physical',
    keys: { min: '', max: 'FF' },
    owner: undefined,
    position: undefined,
    mode: 'latest',
    timestamp: undefined,
    mark: undefined,
    properties: {},
    isTombstone: false,
    stored: stored('lease 0'),
  };
  const nowSeconds = 1_000_000;
  const others = Array.from({ length: 50 }, (_, n) => beatOf(`a${n}`, nowSeconds - ageSeconds));
  const beats = [...others, beatOf('me', nowSeconds)];
  const sightings = new Sightings();
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
    settings,
    rules: hostRules,
    balance: balanceEvenly,
    sightings,
    nowMs: 0,
    wallMs: 0,
    running: new Set(),
    endingKeys: [],
    avoided: new Set(),
    heldEpoch: () => 0,
    beatSentAtMs: () => undefined,
    wantedSinceMs: () => undefined,
  });
}

test('hosts that died long ago, by the stamps of the server, get no share: a free range is taken at the first look', () => {
  expect(planBeside(119).take).toEqual([]);
  expect(planBeside(120).take).toMatchObject([{ from: 'free', lease: { token: '0' } }]);
});

test('where the store does not stamp, hosts count until they have been silent for long enough', () => {
  expect(planBeside(Number.NaN).hosts).toHaveLength(51);
});
